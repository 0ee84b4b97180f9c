"use strict";
// The graph as boxes in boxes: frames, then names, then pieces of at most so many, so that a page
// never shows more than a person can look at.

const MOST_CHILDREN = 40;
// Boxes that may be on the page before what is far is folded.
const MOST_VISIBLE = 130;

class Group {
  constructor(name, kind, parent) {
    this.name = name;
    this.kind = kind;  // "frame", "names" or "piece"
    this.parent = parent;
    this.children = [];  // Groups and nodes
    this.isOpen = false;
    this.count = 0;  // of nodes in it, at any depth
    this.depth = 0;
    this.links = new Map();  // child -> child that it reads -> the edges between them: see link()
  }
}

// The root group of a model. group.of[node] is the innermost group of each node.
function makeGroups(model) {
  const order = topologicalOrder(model);
  const groups = model.frames.map((frame) => new Group(frame.name, "frame", null));
  const items = groups.map(() => []);
  for (const id of order) items[model.nodes[id].frame].push(model.nodes[id]);
  // A frame's box stands in its parent where its first node does.
  const place = new Map(order.map((id, i) => [id, i]));
  for (const frame of [...model.frames].reverse()) {
    if (frame.parent < 0) continue;
    const first = Math.min(...firstPlaces(model, frame.id, place), order.length);
    groups[frame.id].place = first;
    items[frame.parent].push(groups[frame.id]);
  }
  groups.forEach((group, i) => fill(group, sortByPlace(items[i], place), 0));
  const root = groups[0];
  count(root);
  root.isOpen = true;
  root.of = new Map();
  remember(root, root.of);
  link(model, root);
  return root;
}

function firstPlaces(model, frame, place) {
  return model.nodes.filter((node) => node.frame === frame).map((node) => place.get(node.id))
    .slice(0, 1);
}

function sortByPlace(items, place) {
  const at = (item) => item instanceof Group ? item.place : place.get(item.id);
  return items.sort((a, b) => at(a) - at(b));
}

function fill(group, items, depth) {
  if (items.length <= MOST_CHILDREN) return adopt(group, items);
  const byName = new Map();
  for (const item of items) {
    const part = item.name.split("/")[depth] ?? "";
    if (!byName.has(part)) byName.set(part, []);
    byName.get(part).push(item);
  }
  const splits = byName.size > 1 && byName.size <= MOST_CHILDREN;
  if (splits || byName.size === 1 && items.every((item) => item.name.split("/").length > depth + 1)) {
    if (byName.size === 1) return fill(group, items, depth + 1);
    for (const [part, some] of byName) {
      if (some.length === 1) adopt(group, some);
      else adoptGroup(group, new Group(part, "names", group), some, depth + 1);
    }
    return undefined;
  }
  const size = Math.ceil(items.length / Math.min(MOST_CHILDREN, Math.ceil(items.length / MOST_CHILDREN)));
  for (let i = 0; i < items.length; i += size) {
    const some = items.slice(i, i + size);
    adoptGroup(group, new Group(`${some[0].name} …`, "piece", group), some, depth);
  }
  return undefined;
}

function adopt(group, items) {
  for (const item of items) {
    if (item instanceof Group) item.parent = group;
    group.children.push(item);
  }
}

function adoptGroup(parent, group, items, depth) {
  fill(group, items, depth);
  parent.children.push(group);
}

function count(group) {
  group.count = 0;
  for (const child of group.children) group.count += child instanceof Group ? count(child) : 1;
  return group.count;
}

function remember(group, of) {
  for (const child of group.children) {
    if (child instanceof Group) {
      child.depth = group.depth + 1;
      remember(child, of);
    } else {
      of.set(child.id, group);
    }
  }
}

// The key of a child: a Group, or the id of a node.
function keyOf(child) {
  return child instanceof Group ? child : child.id;
}

// Notes each edge in the innermost group that holds both its ends, between the children that do.
function link(model, root) {
  for (const node of model.nodes) {
    for (const [source, output] of inputsOf(node)) {
      let [a, b] = [source, node.id], [inA, inB] = [root.of.get(source), root.of.get(node.id)];
      while (inA !== inB) {
        if (inA.depth >= inB.depth) [a, inA] = [inA, inA.parent];
        else [b, inB] = [inB, inB.parent];
      }
      if (a !== b) addEdge(model, inA.links, a, b, [source, output, node.id]);
    }
  }
}

// Adds an edge, [source, output, reader], to those from one thing on the page to another:
// links.get(to).get(from) is {from, to, edges, isControl: all are, isBack: one closes a loop,
// isForward: one does not}.
function addEdge(model, links, from, to, edge) {
  if (!links.has(to)) links.set(to, new Map());
  const bySource = links.get(to);
  if (!bySource.has(from)) bySource.set(from, {from, to, isControl: true, isForward: false, isBack: false, edges: []});
  const known = bySource.get(from);
  const isBack = isBackEdge(model, edge[0], edge[2]);
  known.isControl &&= edge[1] < 0;
  known.isBack ||= isBack;
  known.isForward ||= !isBack;
  known.edges.push(edge);
}

// [source, output] of each input of a node; of a control edge the output is -1.
function inputsOf(node) {
  return [...node.inputs, ...node.controls.map((source) => [source, -1])];
}

// Nodes in an order in which each comes after its inputs, but for the edges that close loops.
function topologicalOrder(model) {
  const waits = model.nodes.map((node) => forwardInputs(model, node).length);
  const ready = model.nodes.filter((node) => waits[node.id] === 0).map((node) => node.id);
  const order = [];
  for (let i = 0; i < ready.length; ++i) {
    order.push(ready[i]);
    for (const [reader] of model.nodes[ready[i]].readers) {
      if (isBackEdge(model, ready[i], reader)) continue;
      if (--waits[reader] === 0) ready.push(reader);
    }
  }
  if (order.length < model.nodes.length) {  // a cycle that no NextIteration closes
    const seen = new Set(order);
    for (const node of model.nodes) if (!seen.has(node.id)) order.push(node.id);
  }
  return order;
}

function isBackEdge(model, from, to) {
  return /NextIteration$/.test(model.nodes[from].op) && /Merge$/.test(model.nodes[to].op);
}

function forwardInputs(model, node) {
  return [...node.inputs.map(([from]) => from), ...node.controls]
    .filter((from) => !isBackEdge(model, from, node.id));
}

// Opens all boxes around a node, and remembers in `opened` those that were not open: a Set. Where the
// page is full, those that were opened for other nodes are folded again. Returns whether any changed.
function reveal(root, node, opened) {
  let changed = false;
  const around = new Set();
  for (let group = root.of.get(node); group; group = group.parent) {
    around.add(group);
    if (group.isOpen) continue;
    changed = group.isOpen = true;
    opened.add(group);
  }
  if (!changed || countVisible(root) <= MOST_VISIBLE) return changed;
  for (const group of opened) {
    if (around.has(group)) continue;
    group.isOpen = false;
    opened.delete(group);
  }
  return true;
}

function countVisible(group) {
  if (!group.isOpen) return 1;
  return group.children.reduce((sum, child) => sum + (child instanceof Group ? countVisible(child) : 1), 0);
}

// What of a node is on the page: itself, or the outermost closed box around it.
function visibleOf(root, node) {
  let item = node;
  for (let group = root.of.get(node); group; group = group.parent) if (!group.isOpen) item = group;
  return item;
}
