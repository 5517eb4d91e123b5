/**
 * Vue and Svelte as single-file components need them: every part is served, and the shared runtime
 * is loaded once.
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withPackageServer } from './package-server-fixture.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const frameworks = [
  {
    name: 'svelte',
    parts: [
      '',
      '/animate',
      '/easing',
      '/internal/client',
      '/internal/disclose-version',
      '/internal/flags/legacy',
      '/legacy',
      '/motion',
      '/reactivity',
      '/store',
      '/transition',
    ],
    once: /\b(?:let|var) active_effect\b/,
  },
  { name: 'vue', parts: ['', '/jsx-dev-runtime'], once: /\b(?:let|var) activeEffectScope\b/ },
];

test.each(frameworks)(
  'serves $name without a registry, with one runtime for all its parts',
  (framework) =>
    withPackageServer({ server: { installed: [root] } }, async ({ registry, add, get }) => {
      await registry.close();
      const { baseOf } = await add([framework.name]);
      /** URL → text, of everything that the parts load. */
      const texts = new Map<string, string>();
      const load = async (address: string): Promise<void> => {
        if (texts.has(address)) return;
        texts.set(address, '');
        const response = await get(address);
        expect([address, response.status]).toEqual([address, 200]);
        const text = await response.text();
        texts.set(address, text);
        const imports = text.matchAll(/^(?:import|export)\b[^'"\n]*["']([^"'\n]+)["'];?$/gm);
        for (const [, specifier = ''] of imports)
          await load(new URL(specifier, `http://localhost${address}`).pathname);
      };
      for (const part of framework.parts) await load(baseOf(framework.name) + part);
      const holders = [...texts].filter(([, text]) => framework.once.test(text));
      expect(holders.map(([address]) => address)).toHaveLength(1);
      expect(texts.size).toBeLessThan(30);
      expect(registry.requests).toEqual([]);
    }),
);
