"use strict";
// The graph as a picture: boxes, edges, and the tokens on them at a step.

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

// A name as a person can take it in: of 1 MB it shows the ends.
function shorten(text, most = 28) {
  if (text.length <= most) return text;
  const half = (most - 1) >> 1;
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

class View {
  // on: {select(node), toggle(group)}
  constructor(model, root, canvas, on) {
    this.model = model;
    this.root = root;
    this.canvas = canvas;
    this.on = on;
    this.measuring = document.createElement("canvas").getContext("2d");
    this.measuring.font = "12px system-ui, sans-serif";
    this.redraw();
  }

  measure(item) {
    return Math.max(92, this.measuring.measureText(this.label(item)).width + 20);
  }

  label(item) {
    if (!(item instanceof Group)) return shorten(this.model.nodes[item.id ?? item].name.split("/").pop());
    const title = item === this.root ? "graph" : shorten(item.name, 36);
    return item.isOpen ? title : `${title} (${item.count.toLocaleString("en")} nodes)`;
  }

  // After boxes were opened or closed.
  redraw() {
    const {boxes, edges} = layOut(this.model, this.root, (item) => this.measure(item));
    this.boxes = boxes;
    this.nodes = new Map();
    this.edges = [];
    this.canvas.replaceChildren();
    const size = boxes.get(this.root);
    this.canvas.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    this.canvas.setAttribute("width", size.width);
    this.canvas.setAttribute("height", size.height);
    const backs = svg("g", {}, this.canvas);
    const lines = svg("g", {}, this.canvas);
    const fronts = svg("g", {}, this.canvas);
    // The boxes of open groups from the outermost to the innermost: each lies on the one around it.
    const isOpen = (item) => item instanceof Group && item.isOpen;
    for (const [item, box] of [...boxes].reverse()) if (isOpen(item)) this.drawBox(item, box, backs);
    for (const [item, box] of boxes) if (!isOpen(item)) this.drawBox(item, box, fronts);
    for (const edge of edges) this.drawEdge(edge, lines);
  }

  drawBox(item, box, parent) {
    const isGroup = item instanceof Group;
    const g = svg("g", {transform: `translate(${box.x} ${box.y})`, tabindex: 0, role: "button"}, parent);
    svg("rect", {width: box.width, height: box.height, rx: isGroup ? 8 : 5}, g);
    const text = svg("text", {x: 10, y: isGroup && item.isOpen ? 16 : 15}, g);
    text.textContent = this.label(item);
    if (isGroup) {
      g.setAttribute("class", `group ${item.kind} ${item.isOpen ? "open" : "closed"}`);
      g.setAttribute("aria-label", `${item.isOpen ? "fold" : "open"} ${shorten(item.name, 80)}, ${item.count} nodes`);
      if (item === this.root) g.setAttribute("aria-label", "the graph");
    } else {
      const node = this.model.nodes[item];
      g.setAttribute("class", "node");
      g.dataset.node = item;
      g.setAttribute("aria-label", `${shorten(node.name, 80)}, ${node.op}`);
      svg("title", {}, g).textContent = `${shorten(node.name, 200)}\n${node.op}`;
      const value = svg("text", {x: 10, y: 28, class: "value"}, g);
      value.textContent = node.op;
      this.nodes.set(item, {g, value});
    }
    const act = () => isGroup ? item !== this.root && this.on.toggle(item) : this.on.select(item);
    g.addEventListener("click", (event) => { event.stopPropagation(); act(); });
    g.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  }

  drawEdge(edge, parent) {
    const from = this.boxes.get(edge.from), to = this.boxes.get(edge.to);
    const x1 = from.x + from.width / 2, y1 = from.y + from.height;
    const x2 = to.x + to.width / 2, y2 = to.y;
    const bend = Math.max(16, Math.abs(y2 - y1) / 2);
    const path = edge.isBack
      ? `M${x1} ${y1}C${x1 + 90} ${y1 + 50} ${x2 + 140} ${y2 - 50} ${x2} ${y2}`
      : `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
    const kind = edge.isControl ? " control" : edge.isBack ? " back" : "";
    const line = svg("path", {d: path, class: `edge${kind}`}, parent);
    this.edges.push({line, edge, base: `edge${kind}`});
  }

  // Shows the tokens after the first `step` firings; `selected` is a node or -1.
  show(step, selected) {
    const {model} = this;
    const current = step > 0 ? model.firings[step - 1].node : -1;
    for (const [id, {g, value}] of this.nodes) {
      const firing = model.lastFiring(id, step);
      const state = firing < 0 ? "" : model.firings[firing].dead ? " dead" : " live";
      const differs = model.otherOf(id, step) === undefined ? "" : " differs";
      const name = `node${state}${differs}${id === current ? " current" : ""}${id === selected ? " selected" : ""}`;
      if (g.getAttribute("class") !== name) g.setAttribute("class", name);
      const text = firing < 0 ? model.nodes[id].op : shorten(firstText(model, firing), 17);
      if (value.textContent !== text) value.textContent = text;
    }
    for (const {line, edge, base} of this.edges) {
      const name = base + this.stateOf(edge, step);
      if (line.getAttribute("class") !== name) line.setAttribute("class", name);
    }
  }

  // Whether a token lies on an edge: its source has fired, and the reader has not taken that yet.
  stateOf({edges}, step) {
    const {model} = this;
    let state = "";
    for (const [source, output, reader] of edges.length > 40 ? edges.slice(0, 40) : edges) {
      const firing = model.lastFiring(source, step);
      if (firing < 0) continue;
      const taken = model.lastFiring(reader, step);
      if (taken > firing) continue;
      if (output < 0 ? model.firings[firing].dead : model.isDead(firing, output)) {
        state ||= " dead";
      } else {
        return " live";
      }
    }
    return state;
  }

  // Brings a node, or the closed box that holds it, into view.
  scrollTo(node) {
    const item = visibleOf(this.root, node);
    const box = this.boxes.get(item);
    const around = this.canvas.parentElement;
    if (!box || !around) return;
    const x = box.x + box.width / 2 - around.clientWidth / 2;
    const y = box.y + box.height / 2 - around.clientHeight / 2;
    around.scrollTo(Math.max(0, x), Math.max(0, y));
  }
}

// The first output of a firing that is live; "dead" where none is.
function firstText(model, firing) {
  const {outputs} = model.firings[firing];
  const live = outputs.findIndex((output) => output !== null);
  if (model.firings[firing].dead || live < 0) return outputs.length === 0 ? "done" : "dead";
  return model.text(firing, live);
}
