"use strict";
// Puts the page together, and moves through the step.

function start() {
  const model = new Model(JSON.parse(document.getElementById("data").textContent));
  const root = makeGroups(model);
  const at = (id) => document.getElementById(id);
  const last = model.firings.length;
  const opened = new Set();  // boxes that nobody asked to be opened
  let step = 0, selected = -1;

  const view = new View(model, root, at("canvas"), {
    select: (node) => select(node),
    toggle: (group) => { group.isOpen = !group.isOpen; opened.delete(group); redraw(); },
  });
  const panels = new Panels(model, {step: at("step"), node: at("node"), loops: at("loops"), end: at("end")},
                            (to) => go(to, true), (node) => select(node, true));

  function redraw() {
    view.redraw();
    view.show(step, selected);
  }

  // After `to` firings. With `follow`, the node that fired last is brought into view.
  function go(to, follow = false) {
    step = Math.max(0, Math.min(last, to));
    at("slider").value = step;
    at("slider").setAttribute("aria-valuetext", `firing ${step} of ${last}`);
    at("count").textContent = `${step.toLocaleString("en")} of ${last.toLocaleString("en")}`;
    if (follow && step > 0) {
      const {node} = model.firings[step - 1];
      if (at("follow").checked && reveal(root, node, opened)) view.redraw();
      view.show(step, selected);
      view.scrollTo(node);
    } else {
      view.show(step, selected);
    }
    panels.showStep(step);
    if (at("loops").closest("details").open) panels.showLoops(step);
    if (selected >= 0) panels.showNode(selected, step);
  }

  function select(node, follow = false) {
    selected = node;
    if (follow && reveal(root, node, opened)) view.redraw();
    view.show(step, selected);
    if (follow) view.scrollTo(node);
    panels.showNode(selected, step);
  }

  function search(text) {
    const list = at("found");
    const wanted = text.toLowerCase();
    const found = wanted === "" ? [] : model.nodes.filter((node) =>
      node.name.toLowerCase().includes(wanted) || node.op.toLowerCase() === wanted);
    list.replaceChildren(...found.slice(0, 30).map((node) =>
      html("li", {}, panels.nodeButton(node.id), ` ${node.op}`)));
    at("hits").textContent = wanted === "" ? "" : `${found.length.toLocaleString("en")} nodes`;
    return found;
  }

  at("slider").max = last;
  at("slider").addEventListener("input", () => go(Number(at("slider").value), true));
  at("search").addEventListener("input", () => search(at("search").value));
  at("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const [first] = search(at("search").value);
    if (first) select(first.id, true);
  });
  for (const [id, by] of [["back", -1], ["forward", 1]]) {
    at(id).addEventListener("click", () => go(step + by, true));
  }
  at("loops").closest("details").addEventListener("toggle", () => panels.showLoops(step));
  at("lanes").closest("details").addEventListener("toggle", () =>
    showLanes(model, at("lanes"), (node) => select(node, true)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "range";
    if (isTyping) return;
    const moves = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -last, End: last};
    if (event.key === "/") {
      at("search").focus();
    } else if (event.key in moves) {
      go(step + moves[event.key] * (event.shiftKey ? 10 : 1), true);
    } else {
      return;
    }
    event.preventDefault();
  });

  document.title = `${shorten(model.data.title, 60)} – Tagflow`;
  at("title").replaceChildren(data(model.data.title, 80));
  at("size").textContent = `${model.nodes.length.toLocaleString("en")} nodes, ` +
    `${model.frames.length - 1} loops, ${last.toLocaleString("en")} firings`;
  panels.showEnd();
  panels.showNode(-1, 0);
  openAtThePlace(model, go, select, last);
  document.body.dataset.ready = "true";
}

// Where another run differs first, and where a step failed or starved, the page opens at the place.
function openAtThePlace(model, go, select, last) {
  const [first] = model.others.keys();
  if (first !== undefined) {
    go(first + 1, true);
    select(model.firings[first].node, true);
    return;
  }
  const {error} = model.data;
  const node = error ? model.byName.get(error.node) : undefined;
  go(error ? last : 0);
  if (node !== undefined) select(node, true);
}

start();
