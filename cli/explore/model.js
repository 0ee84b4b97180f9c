"use strict";
// What the page knows: the graph, the firings of a step, and what is where after each of them.

// A tag is a path of "frame[iteration]"; names have their '/' and '[' escaped by '\'.
function parseTag(text) {
  const parts = [];
  let name = "";
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (c === "\\") {
      name += text[++i] ?? "";
    } else if (c === "[") {
      const end = text.indexOf("]", i);
      parts.push({frame: name, iteration: Number(text.slice(i + 1, end))});
      name = "";
      i = end + 1;  // and the '/' behind it
    } else {
      name += c;
    }
  }
  return parts;
}

class Model {
  constructor(data) {
    this.data = data;
    this.nodes = data.nodes.map(([name, op, frame, device, inputs, controls], id) =>
      ({id, name, op, frame, device, inputs, controls, readers: [], firings: []}));
    for (const node of this.nodes) {
      for (const [from, output] of node.inputs) this.nodes[from].readers.push([node.id, output]);
      for (const from of node.controls) this.nodes[from].readers.push([node.id, -1]);
    }
    this.frames = data.frames.map(([name, parent], id) => ({id, name, parent, children: []}));
    for (const frame of this.frames) {
      if (frame.parent >= 0) this.frames[frame.parent].children.push(frame.id);
    }
    this.tags = data.tags.map((text, id) => ({id, text, parts: parseTag(text)}));
    this.firings = data.firings.map(([node, tag, dead, inputs, outputs], id) =>
      ({id, node, tag, dead: dead === 1, inputs, outputs}));
    for (const firing of this.firings) this.nodes[firing.node].firings.push(firing.id);
    this.others = new Map(data.other ? data.other.differences : []);  // by firing, of another run
    this.byName = new Map(this.nodes.map((node) => [node.name, node.id]));
  }

  // The last firing of a node among the first `step`; -1 for none.
  lastFiring(node, step) {
    const list = this.nodes[node].firings;
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < step) low = middle + 1; else high = middle;
    }
    return low === 0 ? -1 : list[low - 1];
  }

  // The firing of a node at a tag among the first `step`; -1 for none.
  firingAt(node, tag, step) {
    const list = this.nodes[node].firings;
    for (let i = list.length - 1; i >= 0; --i) {
      if (list[i] < step && this.firings[list[i]].tag === tag) return list[i];
    }
    return -1;
  }

  // "float[2] [1, 2]", or "dead"; of an output of a firing.
  text(firing, output = 0) {
    const value = this.firings[firing].outputs[output];
    if (value === undefined) return "";
    return value === null ? "dead" : value[0];
  }
  number(firing, output = 0) {
    const value = this.firings[firing].outputs[output];
    return value && value.length > 1 ? value[1] : undefined;
  }
  isDead(firing, output = 0) {
    const {dead, outputs} = this.firings[firing];
    return dead || outputs[output] === null;
  }

  // What another run has instead of what the node's last firing gave; undefined: the same.
  otherOf(node, step) {
    const firing = this.lastFiring(node, step);
    return firing < 0 ? undefined : this.others.get(firing);
  }

  // The Switch that killed what a dead firing got: back along dead tokens to a firing that was live.
  killerOf(firing) {
    const seen = new Set();
    let now = firing;
    while (now >= 0 && !seen.has(now)) {
      seen.add(now);
      const {dead, inputs} = this.firings[now];
      if (!dead) return now;
      now = inputs.find((from) => from >= 0 && this.hasDeadOutput(from)) ?? -1;
    }
    return -1;
  }
  hasDeadOutput(firing) {
    const {dead, outputs} = this.firings[firing];
    return dead || outputs.includes(null);
  }

  // Nodes of the error's tag that have some of their inputs and wait for others, when all is over:
  // [{node, has: [names], waits: [names]}].
  waiting(tag) {
    const waiting = [];
    for (const node of this.nodes) {
      if (node.inputs.length + node.controls.length < 2 || node.op === "Merge") continue;
      if (this.firingAt(node.id, tag, Infinity) >= 0) continue;
      const sources = [...node.inputs.map(([from]) => from), ...node.controls];
      const has = sources.filter((from) => this.firingAt(from, tag, Infinity) >= 0);
      if (has.length === 0 || has.length === sources.length) continue;
      const waits = sources.filter((from) => this.firingAt(from, tag, Infinity) < 0);
      const named = (ids) => [...new Set(ids)].map((id) => this.nodes[id].name);
      waiting.push({node: node.id, has: named(has), waits: named(waits)});
    }
    return waiting;
  }

  // The loop of a frame: its variables, and for each tag of the frame's parent the iterations.
  loop(frame) {
    const variables = this.nodes.filter((node) => node.frame === frame && node.op === "Merge" &&
      node.inputs.some(([from]) => this.nodes[from].op === "NextIteration"));
    return {variables};
  }

  // Rows of a loop's table: [{tag, iteration, firings: [of each variable, or -1]}], of the frame under
  // the tag of which `parent` are the parts.
  iterations(frame, variables, parent, step) {
    const rows = new Map();
    variables.forEach((variable, column) => {
      for (const id of variable.firings) {
        if (id >= step) break;
        const tag = this.tags[this.firings[id].tag];
        const last = tag.parts[tag.parts.length - 1];
        if (!last || !samePrefix(tag.parts, parent)) continue;
        if (!rows.has(last.iteration)) {
          rows.set(last.iteration, {tag: tag.id, iteration: last.iteration,
                                    firings: variables.map(() => -1)});
        }
        rows.get(last.iteration).firings[column] = id;
      }
    });
    return [...rows.values()].sort((a, b) => a.iteration - b.iteration);
  }
}

// Whether `parts` are those of `parent` and one more.
function samePrefix(parts, parent) {
  return parts.length === parent.length + 1 && parent.every((part, i) =>
    part.frame === parts[i].frame && part.iteration === parts[i].iteration);
}
