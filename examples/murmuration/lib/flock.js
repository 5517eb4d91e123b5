// A bird sees this far, and wants this much room. The world is about 1000 by 620.
const sight = 55;
const elbow = 17;
const slowest = 1.6;
const fastest = 3;

// Birds begin on a spiral, so that every visit starts with the same flock.
export function startFlock(count) {
  return Array.from({ length: count }, (_, n) => {
    const angle = n * 2.4;
    const radius = 12 * Math.sqrt(n);
    return {
      x: 500 + radius * Math.cos(angle),
      y: 240 + radius * Math.sin(angle),
      vx: 0.8 - 2 * Math.sin(angle),
      vy: 2 * Math.cos(angle),
      depth: (n % 10) / 10,
    };
  });
}

// Moves every bird by one step. rules: { apart, alike, close }, each from 0 to 1.
export function moveFlock(flock, rules, world, hawk) {
  for (const bird of flock) {
    steer(bird, flock, rules);
    if (hawk.near) flee(bird, hawk);
    turnBack(bird, world);
    keepSpeed(bird);
    bird.x += bird.vx;
    bird.y += bird.vy;
  }
}

// Adds up what a bird sees of the others, then follows the three rules, each a small change of
// its speed: towards their middle, along with their heading, away from those too near.
function steer(bird, flock, rules) {
  const middle = { x: 0, y: 0 };
  const heading = { x: 0, y: 0 };
  const away = { x: 0, y: 0 };
  let seen = 0;

  for (const other of flock) {
    const dx = other.x - bird.x;
    const dy = other.y - bird.y;
    const squared = dx * dx + dy * dy; // a root for each pair would cost most of the time
    if (squared === 0 || squared > sight * sight) continue;
    seen += 1;
    middle.x += dx;
    middle.y += dy;
    heading.x += other.vx;
    heading.y += other.vy;
    if (squared < elbow * elbow) {
      const distance = Math.sqrt(squared);
      away.x -= dx / distance;
      away.y -= dy / distance;
    }
  }

  if (seen === 0) return;
  bird.vx += (middle.x / seen) * 0.004 * rules.close;
  bird.vy += (middle.y / seen) * 0.004 * rules.close;
  bird.vx += (heading.x / seen - bird.vx) * 0.12 * rules.alike;
  bird.vy += (heading.y / seen - bird.vy) * 0.12 * rules.alike;
  bird.vx += away.x * 0.16 * rules.apart;
  bird.vy += away.y * 0.16 * rules.apart;
}

function flee(bird, hawk) {
  const dx = bird.x - hawk.x;
  const dy = bird.y - hawk.y;
  const distance = Math.hypot(dx, dy) || 1;
  if (distance > 110) return;
  bird.vx += (dx / distance) * 0.6;
  bird.vy += (dy / distance) * 0.6;
}

// The nearer an edge, the harder the push back; the lowest part is left to the controls.
function turnBack(bird, world) {
  const margin = 200;
  const strength = 0.0016;
  bird.vx += strength * Math.max(0, margin - bird.x);
  bird.vx -= strength * Math.max(0, bird.x - (world.width - margin));
  bird.vy += strength * Math.max(0, margin - bird.y);
  bird.vy -= strength * Math.max(0, bird.y - (world.height - margin * 1.3));
}

function keepSpeed(bird) {
  const speed = Math.hypot(bird.vx, bird.vy) || 1;
  const wanted = Math.min(fastest, Math.max(slowest, speed));
  bird.vx *= wanted / speed;
  bird.vy *= wanted / speed;
}
