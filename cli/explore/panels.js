"use strict";
// What stands beside the graph: the firing at hand, a node and what its value was made from, the loops
// as tables, where a step stopped, and the engine's lanes. All text is set as text, never as HTML.

const MOST_ROWS = 200;

function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

// Names and values keep their own direction, whatever marks are in them.
function data(text, most = 120) {
  return html("bdi", {}, shorten(text, most));
}

// "starts/while_context [2] › starts/steps/while_context [0]"
function tagText(model, tag) {
  const {parts} = model.tags[tag];
  if (parts.length === 0) return "outside of loops";
  return parts.map(({frame, iteration}) => `${frame} [${iteration}]`).join(" › ");
}

function lastPart(name) {
  return name.split("/").pop() || name;
}

class Panels {
  // go(step), select(node)
  constructor(model, places, go, select) {
    this.model = model;
    this.places = places;
    this.go = go;
    this.select = select;
  }

  // label: "" for the node's name
  nodeButton(node, label = "") {
    const {name} = this.model.nodes[node];
    return html("button", {class: "link", title: shorten(name, 200), onclick: () => this.select(node)},
                data(label || name, 48));
  }
  firingButton(firing, text) {
    return html("button", {class: "link", onclick: () => this.go(firing + 1)}, text);
  }

  // ---- The firing at hand ----

  showStep(step) {
    const {model} = this;
    const place = this.places.step;
    if (step === 0) {
      place.replaceChildren(html("p", {}, "Nothing has fired yet. → takes a step."));
      return;
    }
    const id = step - 1, firing = model.firings[id];
    const lines = [html("p", {}, this.nodeButton(firing.node),
                        ` (${model.nodes[firing.node].op}) fired, `, data(tagText(model, firing.tag), 300))];
    firing.outputs.forEach((output, i) => {
      const text = output === null ? "dead" : output[0];
      lines.push(html("p", {class: output === null ? "dead" : ""}, `output ${i}: `, data(text, 400)));
    });
    if (firing.dead || firing.outputs.includes(null)) lines.push(this.deathOf(id));
    if (model.others.has(id)) {
      lines.push(html("p", {class: "differs"}, `${model.data.other.name}: `, data(model.others.get(id), 400)));
    }
    place.replaceChildren(...lines);
  }

  deathOf(firing) {
    const {model} = this;
    if (!model.firings[firing].dead) {
      return html("p", {class: "dead"}, "Its token went to one output; the others are dead.");
    }
    const killer = model.killerOf(firing);
    if (killer < 0) return html("p", {class: "dead"}, "It got a dead token.");
    return html("p", {class: "dead"}, "It is dead: ", this.nodeButton(model.firings[killer].node),
                " sent its token the other way, ", this.firingButton(killer, `in firing ${killer + 1}`));
  }

  // ---- A node, and what its value was made from ----

  showNode(node, step) {
    const {model} = this;
    const place = this.places.node;
    if (node < 0) {
      place.replaceChildren(html("p", {}, "Click a node to see its values and what they were made from."));
      return;
    }
    const known = model.nodes[node];
    const lines = [html("h3", {}, data(known.name, 200)), html("p", {}, known.op,
      known.device ? html("span", {}, " on ", data(known.device)) : "")];
    if (known.firings.length > 0) {
      const last = model.lastFiring(node, step);
      lines.push(html("p", {}, `${known.firings.length.toLocaleString("en")} firings`));
      lines.push(this.firingTable(known, step));
      if (last >= 0) lines.push(html("h4", {}, "made from"), this.origin(last, 3));
    }
    place.replaceChildren(...lines);
  }

  firingTable(node, step) {
    const {model} = this;
    const body = html("tbody");
    const now = node.firings.findIndex((id) => id >= step);
    const end = now < 0 ? node.firings.length : now;
    const begin = Math.max(0, Math.min(end - MOST_ROWS / 2, node.firings.length - MOST_ROWS));
    for (const id of node.firings.slice(begin, begin + MOST_ROWS)) {
      const row = html("tr", {class: model.firings[id].dead ? "dead" : ""},
        html("td", {}, this.firingButton(id, String(id + 1))),
        html("td", {}, data(tagText(model, model.firings[id].tag), 60)),
        html("td", {}, data(firstText(model, id), 60)));
      if (model.data.other) row.append(html("td", {class: "differs"}, data(model.others.get(id) ?? "", 60)));
      if (id < step) row.classList.add("past");
      body.append(row);
    }
    const head = html("tr", {}, ...["firing", "tag", ...this.runNames()].map((name) => html("th", {}, name)));
    const table = html("table", {}, html("thead", {}, head), body);
    const left = node.firings.length - Math.min(node.firings.length, MOST_ROWS);
    return html("div", {class: "scroll"}, table,
                left > 0 ? html("p", {}, `${left.toLocaleString("en")} more, around these`) : "");
  }

  runNames() {
    const {other} = this.model.data;
    return other ? [other.against, other.name] : ["value"];
  }

  // The firings that a firing took its tokens from, back to the feeds.
  origin(firing, depth) {
    const {model} = this;
    const {node, inputs} = model.firings[firing];
    const summary = [this.nodeButton(node), " = ", data(firstText(model, firing), 60), " ",
                     this.firingButton(firing, `(firing ${firing + 1})`)];
    const known = inputs.map((from, i) => [from, i]).filter(([from]) => from >= 0);
    const fed = inputs.map((from, i) => [from, i]).filter(([from]) => from < 0);
    const item = html("li", {}, ...summary);
    if (known.length + fed.length === 0) return depth === 3 ? html("ul", {class: "origin"}, item) : item;
    const list = html("ul", {});
    const fill = () => {
      for (const [from] of known) list.append(this.origin(from, depth - 1));
      for (const [, i] of fed) {
        const source = model.nodes[node].inputs[i];
        if (source && model.data.feeds[model.nodes[source[0]].name] !== undefined) {
          list.append(html("li", {}, "fed: ", this.nodeButton(source[0]), " = ",
                           data(model.data.feeds[model.nodes[source[0]].name], 60)));
        }
      }
    };
    if (depth > 0) {
      fill();
    } else {
      const more = html("button", {class: "link", onclick: () => { more.remove(); fill(); }}, "…");
      item.append(" ", more);
    }
    item.append(list);
    return depth === 3 ? html("ul", {class: "origin"}, item) : item;
  }

  // ---- Loops as tables ----

  showLoops(step) {
    const {model} = this;
    const tables = [];
    for (const frame of model.frames) {
      if (frame.parent > 0 && this.hasLoop(frame.parent)) continue;  // shown in its parent's rows
      if (this.hasLoop(frame.id)) tables.push(this.loopTable(frame, this.contextOf(frame, step), step));
    }
    this.places.loops.replaceChildren(...(tables.length > 0 ? tables
      : [html("p", {}, "The graph has no loops.")]));
  }

  hasLoop(frame) {
    return frame > 0 && this.model.loop(frame).variables.length > 0;
  }

  // The parts of the tag, of the frame's parent, in which the step is.
  contextOf(frame, step) {
    const {model} = this;
    const depth = this.depthOf(frame) - 1;
    for (let id = step - 1; id >= 0; --id) {
      const {parts} = model.tags[model.firings[id].tag];
      if (parts.length >= depth && (depth === 0 || model.nodes[model.firings[id].node].frame > 0)) {
        return parts.slice(0, depth);
      }
    }
    return [];
  }
  depthOf(frame) {
    let depth = 0;
    for (let at = frame; at && at.parent >= 0; at = this.model.frames[at.parent]) ++depth;
    return depth;
  }

  loopTable(frame, parent, step) {
    const {model} = this;
    const {variables} = model.loop(frame.id);
    const rows = model.iterations(frame.id, variables, parent, step);
    const inner = frame.children.filter((child) => this.hasLoop(child));
    const head = html("tr", {}, html("th", {}, "iteration"),
      ...variables.map((node) => html("th", {}, this.nodeButton(node.id, lastPart(node.name)), sparkline(model, rows.map(
        (row) => row.firings[variables.indexOf(node)])))),
      ...inner.map((child) => html("th", {}, data(lastPart(model.frames[child].name), 30))));
    const body = html("tbody");
    const shown = rows.length > MOST_ROWS ? rows.slice(rows.length - MOST_ROWS) : rows;
    for (const row of shown) body.append(this.loopRow(row, inner, step));
    const left = rows.length - shown.length;
    return html("section", {class: "loop"}, html("h3", {}, data(frame.name, 60)),
      html("div", {class: "scroll"}, html("table", {}, html("thead", {}, head), body),
           left > 0 ? html("p", {}, `${left.toLocaleString("en")} earlier iterations`) : ""));
  }

  loopRow(row, inner, step) {
    const {model} = this;
    const cells = row.firings.map((id) => id < 0 ? html("td", {}, "")
      : html("td", {class: model.firings[id].dead ? "dead" : ""},
             this.firingButton(id, shorten(firstText(model, id), 40))));
    const line = html("tr", {}, html("td", {}, String(row.iteration)), ...cells);
    for (const child of inner) line.append(this.nestedCell(child, row.tag, line, step));
    return line;
  }

  // Of a loop in an iteration of another: how many iterations, and below the row, when it is opened,
  // which.
  nestedCell(child, tag, line, step) {
    const {model} = this;
    const {parts} = model.tags[tag];
    const count = model.iterations(child, model.loop(child).variables, parts, step).length;
    if (count === 0) return html("td", {}, "");
    const details = html("details", {}, html("summary", {}, count === 1 ? "1 iteration" : `${count} iterations`));
    let below;
    details.addEventListener("toggle", () => {
      below?.remove();
      below = undefined;
      if (!details.open) return;
      below = html("tr", {class: "nested"}, html("td", {colspan: line.cells.length},
                                                 this.loopTable(model.frames[child], parts, step)));
      line.after(below);
    });
    return html("td", {}, details);
  }

  // ---- Where the step stopped ----

  showEnd() {
    const {model} = this;
    const {error, results, truncated, total} = model.data;
    const lines = [];
    if (truncated) {
      lines.push(html("p", {class: "note"}, `The first ${model.firings.length.toLocaleString("en")} of ` +
        `${total.toLocaleString("en")} firings are here.`));
    }
    lines.push(...this.comparison());
    for (const [name, text] of results) lines.push(html("p", {}, data(name, 60), ": ", data(text, 300)));
    if (error) {
      lines.push(html("p", {class: "error"}, data(error.text, 2000)));
      const at = model.byName.get(error.node);
      if (at !== undefined) lines.push(html("p", {}, "at ", this.nodeButton(at), " ", data(error.tag)));
      const tag = model.tags.find((known) => known.text === error.tag);
      lines.push(...this.whoWaits(tag ? tag.id : 0));
    }
    this.places.end.replaceChildren(...lines);
  }

  // How another run differs from this one, and where.
  comparison() {
    const {other} = this.model.data;
    if (!other) return [];
    const {size} = this.model.others;
    const count = size === 0 ? "no firing differs" : size === 1 ? "1 firing differs" : `${size.toLocaleString("en")} firings differ`;
    const lines = [html("p", {class: size > 0 ? "differs" : ""}, `${other.name} beside ${other.against}: ${count}`)];
    if (other.first !== "") lines.push(html("pre", {}, data(other.first, 4000)));
    const buttons = [...this.model.others.keys()].slice(0, 20).map((id) =>
      html("li", {}, this.firingButton(id, `firing ${id + 1}`), " of ", this.nodeButton(this.model.firings[id].node)));
    if (buttons.length > 0) lines.push(html("ul", {}, ...buttons));
    return lines;
  }

  whoWaits(tag) {
    const {model} = this;
    const waiting = model.waiting(tag).slice(0, 20);
    if (waiting.length === 0) return [];
    const list = html("ul");
    for (const {node, has, waits} of waiting) {
      list.append(html("li", {}, this.nodeButton(node), " has ", data(has.join(", "), 80),
                       " and waits for ", data(waits.join(", "), 80)));
    }
    return [html("h4", {}, "who waits for whom"), list];
  }
}

// A line of a variable's numbers; nothing where they are none.
function sparkline(model, firings) {
  const numbers = firings.map((id) => id < 0 ? undefined : model.number(id)).filter((x) => x !== undefined);
  if (numbers.length < 2) return "";
  const most = 120, every = Math.ceil(numbers.length / most);
  const some = numbers.filter((_, i) => i % every === 0);
  const low = Math.min(...some), high = Math.max(...some), width = 80, height = 18;
  const points = some.map((x, i) => `${(i / Math.max(1, some.length - 1)) * width},` +
    `${height - 2 - (high === low ? 0.5 : (x - low) / (high - low)) * (height - 4)}`);
  const picture = svg("svg", {class: "sparkline", viewBox: `0 0 ${width} ${height}`, width, height,
                              role: "img", "aria-label": `from ${numbers[0]} to ${numbers[numbers.length - 1]}`});
  svg("polyline", {points: points.join(" ")}, picture);
  return picture;
}
