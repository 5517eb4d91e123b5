import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { javascript } from '../src/languages/javascript.ts';
import { completeScript } from '../src/language-service/complete-script.ts';
import type { LanguageClient } from '../src/language-service/language-client.ts';
import { filePath } from '../src/language-facets.ts';

/** True if the service is asked with this text before the cursor. */
async function isRequested(text: string, explicit = false): Promise<boolean> {
  let count = 0;
  const client = {
    request() {
      count += 1;
      return Promise.resolve(null);
    },
  } as unknown as LanguageClient;
  const extensions = [filePath.of('script.js'), javascript({})()];
  const state = EditorState.create({ doc: text, extensions });
  await completeScript(client)(new CompletionContext(state, text.length, explicit));
  return count > 0;
}

describe('the TypeScript service', () => {
  test.each(['con', 'a.', 'x1', '$2', 'é3', 'a[0].b', "import '", 'f(`', '<', '/** @par'])(
    'is asked for completions after %s',
    async (text) => expect(await isRequested(text)).toBe(true),
  );

  test.each(['1', 'n = 12', '0.5', '.5', '1.', '0xff', '10n', 'a + 1e3', ' ', '}', ';'])(
    'is not asked after %s, where no name can follow',
    async (text) => expect(await isRequested(text)).toBe(false),
  );

  test.each(['// word', '/* word', '/** word'])('is not asked in comments: %s', async (text) =>
    expect(await isRequested(text)).toBe(false),
  );

  test('is asked inside a number on explicit completion', async () => {
    expect(await isRequested('1', true)).toBe(true);
  });
});
