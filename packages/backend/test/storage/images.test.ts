import { Readable } from 'node:stream';
import sharp from 'sharp';
import { execFileSync } from 'node:child_process';
import { afterAll, expect, test, vi } from 'vitest';
import { currentClient, createImageTransformer } from '../../src/storage/images.ts';
import { formatImageTransform, parseImageTransform } from '../../src/storage/transform.ts';

const warn = vi.fn();
const maker = createImageTransformer({ log: { info() {}, warn, error() {} } });
afterAll(() => maker.close());
const make = (bytes: Uint8Array, given: Record<string, unknown>) =>
  maker.transformImage(Readable.from([bytes]), parseImageTransform(given));
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } });

test.each([
  [{ width: '100', height: '50' }, 'png', 100, 50],
  [{ width: 100, height: 100, resize: 'contain' }, 'png', 100, 75],
  [{ width: 100, format: 'webp', quality: 50 }, 'webp', 100, 75],
  [{ width: 4000 }, 'png', 400, 300],
])('transforms %o', async (given, format, width, height) => {
  const { bytes, mimeType } = await make(await picture(400, 300).png().toBuffer(), given);
  expect(mimeType).toBe(`image/${format}`);
  expect(await sharp(bytes).metadata()).toMatchObject({ format, width, height });
});

test('DB-26: rejects images with too many pixels, and programs', async () => {
  const wide = await sharp({
    create: { width: 50_000, height: 1_001, channels: 3, background: 'red' },
  })
    .png()
    .toBuffer();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  for (const bytes of [wide, svg, Buffer.from('no image'), Buffer.alloc(0)]) {
    await expect(make(bytes, { width: 10, format: 'webp' })).rejects.toMatchObject({ status: 400 });
  }
});

test('DB-26: rejects transformations beyond the queue, and serves those in it', async () => {
  const bytes = await picture(50, 50).jpeg().toBuffer();
  const all = await Promise.allSettled(Array.from({ length: 40 }, () => make(bytes, { width: 5 })));
  const made = all.filter(({ status }) => status === 'fulfilled').length;
  // A transformation that completes meanwhile frees its slot.
  expect(made).toBeGreaterThanOrEqual(31);
  expect(made).toBeLessThan(40);
  expect((await make(bytes, { width: 5 })).mimeType).toBe('image/jpeg');
});

test('PT-03 the transformations of one client do not block those of another', async () => {
  const bytes = await picture(1_000, 1_000).jpeg().toBuffer();
  const small = await picture(50, 50).jpeg().toBuffer();
  let made = 0;
  const ask = () => make(bytes, { width: 900, format: 'avif' }).then(() => (made += 1));
  const all = currentClient.run('192.0.2.1', () => Array.from({ length: 8 }, ask));
  await currentClient.run('198.51.100.7', () => make(small, { width: 5 }));
  // In order, it would complete after seven of them.
  expect(made).toBeLessThan(3);
  await Promise.all(all);
}, 60_000);

test('describes a transformation as hosted projects do', () => {
  const transform = parseImageTransform({ width: '200', height: '200', quality: 60 });
  expect(formatImageTransform(transform)).toBe(
    'height:200,width:200,resizing_type:fill,quality:60',
  );
  expect(() => parseImageTransform({ width: 'x' })).toThrow('integer');
  expect(() => parseImageTransform({ quality: 101 })).toThrow('quality');
});

test('PT-08 an image that ends its process is refused, and nothing else is', async () => {
  const fine = await picture(50, 50).jpeg().toBuffer();
  await make(fine, { width: 5 });
  // Noise takes a while. The signal stands for a fault in a decoder.
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const data = await sharp({
    create: { width: 3_000, height: 3_000, channels: 3, background: 'red', noise },
  })
    .png()
    .toBuffer();
  const before = new Map(findPrograms().map(({ pid, cpuS }) => [pid, cpuS]));
  const failing = make(data, { width: 2_900, format: 'avif' });
  const failure = expect(failing).rejects.toMatchObject({ status: 400 });
  // One that ends before it starts the work is replaced.
  const isWorking = () =>
    findPrograms().some(({ pid, cpuS }) => cpuS - (before.get(pid) ?? 0) >= 1);
  await vi.waitUntil(isWorking, { timeout: 30_000 });
  for (const { pid } of findPrograms()) process.kill(pid, 'SIGSEGV');
  await failure;
  expect(warn).toHaveBeenCalledOnce();
  expect((await make(fine, { width: 5 })).mimeType).toBe('image/jpeg');
  await expect(make(data, { width: 100 })).rejects.toMatchObject({ status: 400 });
  expect(warn).toHaveBeenCalledOnce();
}, 60_000);

/** Processes that transform images, with their CPU time in seconds. */
function findPrograms(): { pid: number; cpuS: number }[] {
  const lines = execFileSync('ps', ['-axwwo', 'pid=,ppid=,time=,args='], { encoding: 'utf8' });
  const all = lines.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s.*image-program\.ts$/gm);
  return Array.from(all, ([, pid, parent, time = '']) => ({
    pid: Number(pid),
    isOurs: Number(parent) === process.pid,
    cpuS: time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0),
  })).filter(({ isOurs }) => isOurs);
}
