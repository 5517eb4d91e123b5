import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const examples = new URL('../../../examples/', import.meta.url);
const posters = new URL('../app/projects/posters/', import.meta.url);

/** Example → hash of the files that its poster shows. Title and tags aren't part of the poster. */
function digestExamples(): Record<string, string> {
  const slugs = readdirSync(posters).flatMap((name) => /^(.+)\.webp$/.exec(name)?.slice(1) ?? []);
  return Object.fromEntries(
    slugs.sort().map((slug) => [slug, digest(new URL(`${slug}/`, examples))]),
  );
}

function digest(folder: URL): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (path === 'example.json' || !path.includes('.')) continue;
    hash.update(`${path}\n`).update(readFileSync(new URL(path, folder)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** After changing an example, replace its poster (640 × 400, WebP), then run with `-u`. */
test('the posters are up to date with the examples', async () => {
  await expect(`${JSON.stringify(digestExamples(), null, 2)}\n`).toMatchFileSnapshot(
    '../app/projects/posters/taken-of.json',
  );
});
