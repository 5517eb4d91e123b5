import p5 from 'p5';

const isDark = matchMedia('(prefers-color-scheme: dark)');
const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

new p5((p) => {
  const trail = 40;
  let points = [];

  p.setup = () => {
    p.createCanvas(p.windowWidth, p.windowHeight);
    p.describe('Circles in changing colors that follow the pointer and drift on their own.');
    p.colorMode(p.HSB);
    p.noStroke();
    if (isCalm.matches) p.noLoop();
  };

  p.draw = () => {
    p.background(isDark.matches ? '#16161c' : '#faf6ef');
    points.push(isCalm.matches ? { x: p.width / 2, y: p.height / 2 } : next());
    points = points.slice(-trail);
    points.forEach(({ x, y }, index) => {
      p.fill((p.frameCount + index * 4) % 360, 55, isDark.matches ? 95 : 85, index / trail);
      p.circle(x, y, index * 1.6);
    });
  };

  p.windowResized = () => p.resizeCanvas(p.windowWidth, p.windowHeight);

  // Where the pointer is, or a slow curve until it has moved.
  function next() {
    if (p.mouseX > 0 && p.mouseY > 0) return { x: p.mouseX, y: p.mouseY };
    const turn = p.frameCount / 40;
    return {
      x: p.width * (0.5 + 0.32 * Math.cos(turn)),
      y: p.height * (0.5 + 0.32 * Math.sin(turn * 1.5)),
    };
  }
}, document.querySelector('main'));
