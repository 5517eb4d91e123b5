// Each algorithm gets a field with two actions, both of which take a moment and can be watched:
//   await field.isLess(a, b)   whether the bar at a is shorter than the one at b
//   await field.swap(a, b)     changes their places

async function bubble(field) {
  for (let end = field.length - 1; end > 0; end--) {
    for (let n = 0; n < end; n++) {
      if (await field.isLess(n + 1, n)) await field.swap(n, n + 1);
    }
  }
}

async function insertion(field) {
  for (let next = 1; next < field.length; next++) {
    for (let n = next; n > 0 && (await field.isLess(n, n - 1)); n--) await field.swap(n, n - 1);
  }
}

async function quick(field, first = 0, last = field.length - 1) {
  if (first >= last) return;
  let border = first; // everything before it is shorter than the last bar
  for (let n = first; n < last; n++) {
    if (await field.isLess(n, last)) {
      if (n !== border) await field.swap(n, border);
      border += 1;
    }
  }
  await field.swap(border, last);
  await quick(field, first, border - 1);
  await quick(field, border + 1, last);
}

async function heap(field) {
  // Lets the bar at root sink until both bars below it are shorter.
  async function sink(root, end) {
    for (;;) {
      let child = 2 * root + 1;
      if (child >= end) return;
      if (child + 1 < end && (await field.isLess(child, child + 1))) child += 1;
      if (!(await field.isLess(root, child))) return;
      await field.swap(root, child);
      root = child;
    }
  }
  for (let n = Math.floor(field.length / 2) - 1; n >= 0; n--) await sink(n, field.length);
  for (let end = field.length - 1; end > 0; end--) {
    await field.swap(0, end);
    await sink(0, end);
  }
}

export const algorithms = { Quick: quick, Heap: heap, Insertion: insertion, Bubble: bubble };
