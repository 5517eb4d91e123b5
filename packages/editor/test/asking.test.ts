import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { javascript } from '../src/languages/javascript.ts';
import { completeByTypes } from '../src/language-service/complete.ts';
import type { LanguageClient } from '../src/language-service/language-client.ts';
import { filePath } from '../src/understood.ts';

/** Whether the service is asked when this stands before the cursor. */
async function isAsked(text: string, explicit = false): Promise<boolean> {
  let count = 0;
  const client = {
    ask() {
      count += 1;
      return Promise.resolve(null);
    },
  } as unknown as LanguageClient;
  const extensions = [filePath.of('script.js'), javascript({})()];
  const state = EditorState.create({ doc: text, extensions });
  await completeByTypes(client)(new CompletionContext(state, text.length, explicit));
  return count > 0;
}

describe('the language service', () => {
  test.each(['con', 'a.', 'x1', '$2', 'é3', 'a[0].b', "import '", 'f(`', '<', '/** @par'])(
    'is asked behind %s',
    async (text) => expect(await isAsked(text)).toBe(true),
  );

  test.each(['1', 'n = 12', '0.5', '.5', '1.', '0xff', '10n', 'a + 1e3', ' ', '}', ';'])(
    'is left alone behind %s, where no name can follow',
    async (text) => expect(await isAsked(text)).toBe(false),
  );

  test.each(['// word', '/* word', '/** word'])(
    'is left alone behind %s, which is for people',
    async (text) => expect(await isAsked(text)).toBe(false),
  );

  test('is asked within a number by who wants to know', async () => {
    expect(await isAsked('1', true)).toBe(true);
  });
});
