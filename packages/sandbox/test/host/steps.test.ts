import { describe, expect, it } from 'vitest';
import { PreviewWorld } from '../rig/preview-world.ts';

/** A preview on an isolated origin that shows its page. */
function openPreview(): PreviewWorld {
  const world = new PreviewWorld({ kind: 'isolated-origin' });
  world.clock.advance(1_000);
  expect(world.state.status).toBe('running');
  return world;
}

const countRemovals = ({ log }: PreviewWorld) =>
  log.filter(({ effect }) => effect.type === 'remove-frame').length;

describe('P-21 an unresponsive page', () => {
  it('is replaced once its code hasn’t changed for a moment', () => {
    const world = openPreview();
    world.act('hang', 0);
    world.clock.advance(6_000);
    expect(world.state.status).toBe('unresponsive');
    for (let key = 0; key < 20; key += 1) {
      world.edit('app.js', `'${key}'`);
      world.clock.advance(150);
    }
    expect(countRemovals(world)).toBe(0);
    world.clock.advance(100);
    expect(countRemovals(world)).toBe(1);
  });

  it('is kept if it responds in the meantime', () => {
    const world = openPreview();
    world.act('hang', 0);
    world.clock.advance(1_000);
    world.edit('app.js', `'fixed'`);
    world.act('recover', 0);
    world.clock.advance(5_000);
    expect(countRemovals(world)).toBe(0);
    expect(world.state.status).toBe('running');
  });

  it('is not replaced by a change of a stylesheet, which can’t fix a loop', () => {
    const world = openPreview();
    world.act('hang', 0);
    world.clock.advance(6_000);
    world.edit('style.css', 'p { color: red }');
    world.clock.advance(5_000);
    expect(countRemovals(world)).toBe(0);
  });

  it('is replaced once for each version of its code', () => {
    const world = openPreview();
    world.act('hang', 0);
    world.clock.advance(6_000);
    world.edit('app.js', `'still'`);
    world.clock.advance(1_000);
    world.act('hang', 0);
    world.clock.advance(20_000);
    expect(countRemovals(world)).toBe(1);
  });
});

describe('P-21 an unresponsive srcdoc page', () => {
  it('is replaced, though the next one was requested before it was known to be silent', () => {
    const world = new PreviewWorld({ kind: 'srcdoc' });
    world.clock.advance(1_000);
    world.browser.act('loop-itself', 0);
    world.clock.advance(10);
    world.edit('app.js', `'fixed'`);
    world.clock.advance(3_000);
    expect(world.violations).toEqual([]);
    expect(world.state.status).toBe('running');
    expect(world.longestWait).toBeLessThan(2_500);
  });
});

describe('a reload', () => {
  it('while the page unloads is done by the page, if it stays, and by the next one', () => {
    const world = openPreview();
    const shown = () =>
      world.log.filter(({ effect }) => effect.type === 'send' && effect.message.type === 'show');
    const before = shown().length;
    world.act('reload', 0);
    // It announces its unload, and the next page hasn't sent its hello.
    world.clock.advance(3);
    world.act('reload', 0);
    expect(shown().length - before).toBe(2);
    world.clock.advance(5_000);
    expect(shown().length - before).toBe(3);
    expect(world.state.status).toBe('running');
  });
});

describe('an address', () => {
  it('that is requested while a page loads is opened once that page has sent its hello', () => {
    const world = openPreview();
    world.edit('app.js');
    world.act('navigate', 1);
    expect(world.violations).toEqual([]);
    world.settle();
    expect(world.violations).toEqual([]);
  });
});

/** Edits a script of a length at an interval; returns the times of reloads, in milliseconds. */
function typeInto(length: number, everyMs: number, edits: number): number[] {
  const world = openPreview();
  world.clock.advance(5_000);
  const start = world.clock.now;
  for (let made = 0; made < edits; made += 1) {
    world.edit('app.js', `'${made}'`.padEnd(length));
    world.clock.advance(everyMs);
  }
  world.clock.advance(1_000);
  return world.log.flatMap(({ at, effect }) =>
    at >= start && effect.type === 'send' && effect.message.type === 'show' ? [at - start] : [],
  );
}

describe('P-36 a page is reloaded', () => {
  it('with each edit of a small text', () => {
    expect(typeInto(1_000, 100, 5)).toEqual([0, 100, 200, 300, 400]);
  });

  it('at once and then in the next pause, for a large text', () => {
    expect(typeInto(100_000, 100, 5)).toEqual([0, 601]);
  });

  it('with each edit of a large text, if edits are slow', () => {
    expect(typeInto(100_000, 300, 3)).toEqual([0, 300, 600]);
  });

  it('from time to time during continuous typing', () => {
    expect(typeInto(100_000, 100, 32)).toEqual([0, 1_500, 3_000, 3_301]);
  });
});
