// A world is a grid without edges: what leaves at the right comes in at the left.
// ages holds, for each cell, how many generations it has lived; below 0, for how many it has been
// dead; 0 if it has never lived.
export function createWorld(columns, rows) {
  return { columns, rows, ages: new Int16Array(columns * rows) };
}

export function indexOf(world, x, y) {
  const column = (x + world.columns) % world.columns;
  const row = (y + world.rows) % world.rows;
  return row * world.columns + column;
}

function countNeighbors(world, x, y) {
  let count = 0;
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) {
      if ((dx || dy) && world.ages[indexOf(world, x + dx, y + dy)] > 0) count += 1;
    }
  }
  return count;
}

// Two or three neighbors keep a cell alive; exactly three bring a dead one to life.
export function nextGeneration(world) {
  const next = createWorld(world.columns, world.rows);
  for (let y = 0; y < world.rows; y++) {
    for (let x = 0; x < world.columns; x++) {
      const at = indexOf(world, x, y);
      const age = world.ages[at];
      const neighbors = countNeighbors(world, x, y);
      const lives = neighbors === 3 || (neighbors === 2 && age > 0);
      if (lives) next.ages[at] = Math.min(Math.max(age, 0) + 1, 999);
      else if (age !== 0) next.ages[at] = Math.max(Math.min(age, 0) - 1, -999);
    }
  }
  return next;
}

// Draws a pattern around a place: one string a row, # for a living cell.
export function stamp(world, pattern, x, y) {
  pattern.forEach((line, dy) => {
    [...line].forEach((sign, dx) => {
      const at = indexOf(world, x + dx - (line.length >> 1), y + dy - (pattern.length >> 1));
      if (sign === '#') world.ages[at] = 1;
    });
  });
}
