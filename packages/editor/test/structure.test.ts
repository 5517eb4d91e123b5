import {
  ensureSyntaxTree,
  foldable,
  getIndentation,
  IndentContext,
  language,
  matchBrackets,
} from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import fc from 'fast-check';
import ts from 'typescript';
import {
  getCSSLanguageService,
  getLESSLanguageService,
  getSCSSLanguageService,
} from 'vscode-css-languageservice';
import { getLanguageService, TextDocument } from 'vscode-html-languageservice';
import { describe, expect, test } from 'vitest';
import { foldComments } from '../src/basics.ts';
import { findLanguage, loadLanguage } from '../src/languages.ts';
import { typingCases } from './typed/all-cases.ts';
import { bracketCases, foldCases } from './typed/fold-cases.ts';

async function open(path: string, doc: string): Promise<EditorState> {
  await loadLanguage(path);
  const names = { texts: () => [] };
  const state = EditorState.create({
    doc,
    extensions: [findLanguage(path, names) ?? [], foldComments],
  });
  ensureSyntaxTree(state, doc.length, 5_000);
  // The state has the tree that was parsed since from its next transaction on.
  return state.update({}).state;
}

function listFolds(state: EditorState): string {
  const found: string[] = [];
  for (let number = 1; number <= state.doc.lines; number++) {
    const line = state.doc.line(number);
    const fold = foldable(state, line.from, line.to);
    if (fold) found.push(`${number}-${state.doc.lineAt(fold.to).number}`);
  }
  return found.join(' ');
}

const html = getLanguageService();
const styles = {
  css: getCSSLanguageService(),
  scss: getSCSSLanguageService(),
  less: getLESSLanguageService(),
};

/**
 * Lines, from 1, at which VS Code's own service starts a fold. Undefined for languages that it does
 * not fold.
 */
function foldedByService(path: string, text: string): number[] | undefined {
  const [, ending = ''] = path.split('.');
  const document = TextDocument.create(`file:///${path}`, ending, 0, text);
  if (ending === 'html')
    return html.getFoldingRanges(document).map(({ startLine }) => startLine + 1);
  if (ending === 'css' || ending === 'scss' || ending === 'less')
    return styles[ending].getFoldingRanges(document).map(({ startLine }) => startLine + 1);
  if (!/^[jt]sx?$/.test(ending)) return undefined;
  const spans = serviceOf(path, text).getOutliningSpans(path);
  return spans
    .filter(({ textSpan: { start, length } }) => text.slice(start, start + length).includes('\n'))
    .map(({ textSpan }) => document.positionAt(textSpan.start).line + 1);
}

function serviceOf(path: string, text: string): ts.LanguageService {
  return ts.createLanguageService({
    getCompilationSettings: () => ({ allowJs: true, jsx: ts.JsxEmit.Preserve, noLib: true }),
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => (name === path ? ts.ScriptSnapshot.fromString(text) : undefined),
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '',
    fileExists: (name) => name === path,
    readFile: () => undefined,
  });
}

/** Columns of the line that Enter adds at ‸. */
async function indentationAfter(path: string, marked: string): Promise<number | null> {
  const at = marked.indexOf('‸');
  const state = await open(path, marked.replace('‸', ''));
  // Enter between brackets or tags adds two lines.
  const simulateDoubleBreak = /[}<]/.test(state.sliceDoc(at, at + 1));
  const context = new IndentContext(state, { simulateBreak: at, simulateDoubleBreak });
  return getIndentation(context, at);
}

describe('indentation of components', () => {
  test.for([
    ['A.vue', '<script setup>‸</script>', 0],
    ['A.vue', '<script setup>\nconst a = 1;‸\n</script>', 0],
    ['A.vue', '<script setup>\nfunction f() {‸}\n</script>', 2],
    ['A.vue', '<script setup>\nfunction f() {\n  if (a) {‸}\n}\n</script>', 4],
    ['A.vue', '<style scoped>‸</style>', 0],
    ['A.vue', '<style scoped>\nh1 {‸}\n</style>', 2],
    ['A.vue', '<template>‸</template>', 2],
    ['A.vue', '<template>\n  <p>‸</p>\n</template>', 4],
    ['A.svelte', '<script>‸</script>', 2],
    ['index.html', '<script>‸</script>', 2],
  ] as const)('is right in %s: %j', async ([path, marked, columns]) => {
    expect(await indentationAfter(path, marked)).toBe(columns);
  });
});

describe.for(Object.entries(foldCases))('folds of %s', ([path, cases]) => {
  test.for(cases)('are right in %j: %s', async ([text, folds]) => {
    expect(listFolds(await open(path, text))).toBe(folds);
  });

  test('start where those of VS Code do', async () => {
    for (const [text, folds] of cases) {
      const begins = new Set(
        folds
          .split(' ')
          .filter(Boolean)
          .map((each) => parseInt(each, 10)),
      );
      // TypeScript's service also folds `case` clauses.
      const lines = text.split('\n');
      for (const line of (foldedByService(path, text) ?? []).filter(
        (each) => !/^ *case /.test(lines[each - 1] ?? ''),
      ))
        expect([text, [...begins]]).toEqual([text, expect.arrayContaining([line])]);
    }
  });
});

describe.for(Object.entries(bracketCases))('brackets of %s', ([path, cases]) => {
  test.for(cases)('match in %s', async (marked) => {
    const [first = 0, second] = [...marked.matchAll(/‸/g)].map(({ index }, nth) => index - nth);
    const state = await open(path, marked.replaceAll('‸', ''));
    const found = matchBrackets(state, first - 1, 1);
    expect(found?.matched ?? false).toBe(second !== undefined);
    if (second !== undefined) expect(found?.end?.from).toBe(second);
  });
});

test('closes tags where VS Code does', () => {
  const closed = (typingCases['a.html'] ?? []).filter(([, pressed]) => pressed === '>');
  expect(closed.length).toBeGreaterThan(5);
  for (const [before, , after] of closed) {
    const document = TextDocument.create('file:///a.html', 'html', 0, before.replace('‸', '>'));
    const at = document.positionAt(before.indexOf('‸') + 1);
    const added = html.doTagComplete(document, at, html.parseHTMLDocument(document));
    expect(before.replace('‸', `>${added?.replace('$0', '‸') ?? '‸'}`)).toBe(after);
  }
});

/**
 * Lines where TypeScript's service starts a statement or cannot tell. Here they continue the
 * previous indentation, as in VS Code.
 */
const otherwise = /(?:^|\n) +(?:\.b\(\)|\| 1|b|b="c"(?=‸\/>))‸/;

test.for(['a.js', 'a.ts', 'a.jsx', 'a.tsx'])(
  "indents lines of %s like TypeScript's service",
  (path) => {
    const differing: unknown[] = [];
    for (const [before, pressed, after] of typingCases[path] ?? []) {
      if (pressed !== '⏎' || otherwise.test(before)) continue;
      const column = after.indexOf('‸') - after.lastIndexOf('\n', after.indexOf('‸')) - 1;
      const text = after.replace(/ *‸/, '');
      const at = after.indexOf('‸') - column;
      const options = { ...ts.getDefaultFormatCodeSettings(), indentSize: 2, tabSize: 2 };
      const wanted = serviceOf(path, text).getIndentationAtPosition(path, at, options);
      if (wanted !== column) differing.push({ before, column, wanted });
    }
    expect(differing).toEqual([]);
  },
);

describe.each(['a.js', 'a.jsx', 'a.tsx'])('in %s', (path) => {
  test.for([
    'a = <main>{/* a */}{/* b */}\n<h1>T </h1>{/* c */}</main>;\nconst b = 1;',
    'a = <p>{}{ }</p>;',
    'a = <p>{\n// b\n}{/* c */ /* d */}{...e}</p>;',
    'a = <p>{/* { */}{/* } */}</p>;',
  ])('allows empty JSX braces: %j', async (text) => {
    const wrong: string[] = [];
    const tree = ensureSyntaxTree(await open(path, text), text.length, 5_000);
    tree?.iterate({
      enter: ({ type, from }) => void (type.isError && wrong.push(text.slice(from))),
    });
    expect(wrong).toEqual([]);
  });

  test.for(['a = <p>{b c}{/* d */}</p>;', 'const f = (', 'a = ;', 'f(}', 'a = {b: };'])(
    'keeps a syntax error: %j',
    async (text) => {
      const tree = ensureSyntaxTree(await open(path, text), text.length, 5_000);
      let mistakes = 0;
      tree?.iterate({ enter: ({ type }) => void (mistakes += Number(type.isError)) });
      expect(mistakes).toBeGreaterThan(0);
    },
  );

  test('parses any sequence of characters to its end', async () => {
    const state = await open(path, '');
    const { parser } = state.facet(language) ?? {};
    const signs = '{ } ( ) [ ] < > / = ; , ... a 1 <p> </p> /*b*/ ` ${ => if class return'.split(
      ' ',
    );
    const sign = fc.constantFrom(...signs, ' ', '\n', '// c\n');
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(parser?.parse(text).length).toBe(text.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
