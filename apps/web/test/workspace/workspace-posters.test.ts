import { describe, expect, test } from 'vitest';
import { encodePoster } from '../../app/workspace/poster/create-poster.ts';

/** The start of a PNG with these pixels. */
function createHeader(width: number, height: number, bytes = 64): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(bytes));
  view.setUint32(0, 0x8950_4e47);
  view.setUint32(4, 0x0d0a_1a0a);
  view.setUint32(8, 13);
  view.setUint32(12, 0x4948_4452);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return view.buffer;
}

// Node has neither `createImageBitmap` nor a canvas: whatever goes on to be decoded fails here.
describe('AS-23: a picture from a preview isn’t decoded', () => {
  test.each([
    ['with more pixels than a preview sends', createHeader(4_000, 2_001)],
    ['with sides that overflow 32 bits together', createHeader(0xffff_ffff, 0xffff_ffff)],
    ['of too many bytes', createHeader(10, 10, 12 * 1024 * 1024 + 1)],
    ['without a size', new ArrayBuffer(23)],
  ])('%s', async (_, png) => {
    expect(await encodePoster(png)).toBe(undefined);
  });

  test('but one of the right size is', async () => {
    await expect(encodePoster(createHeader(1_280, 800))).rejects.toThrow('createImageBitmap');
  });
});
