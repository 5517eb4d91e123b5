import ts from 'typescript';
import { expect, test } from 'vitest';
import { formatDocumentation } from '../src/typescript/hover.ts';
import { registerWithoutComments, markDeprecated } from '../src/typescript/doc-comments.ts';
import { stripComments, restoreComments } from '../src/typescript/strip-comments.ts';
import { mergeTypes } from '../src/typescript/package-types.ts';
import { libFolder } from '../src/typescript/project-host.ts';
import {
  strippedLibs,
  libs,
  createPlainService,
  reactTypes,
  TestTypeScriptProject,
} from './typescript-projects.ts';

const project = new TestTypeScriptProject();
project.setPackages(reactTypes);
const { files: types } = mergeTypes(reactTypes);

/** The same file in our service and in a plain TypeScript service that parses all comments. */
function open(text: string) {
  project.setFiles(new Map([['a.tsx', text]]));
  return createPlainService(new Map([...types, ['/a.tsx', text]]), project.host.options);
}

test.for([
  ['with an address', 'document.querySelector', 'MDN Reference'],
  ['of a variable, ahead of its statement', 'JSON', 'intrinsic object'],
  ['of a parameter', `'a'.indexOf`, '*@param* `searchString` — '],
  ['of what is deprecated', `'a'.substr`, '@deprecated'],
  ['of something else, which it comes from', 'document.createElement', 'MDN Reference'],
  ['with an example', 'React.useState', '*@version* — 16.8.0'],
  ['that name other declarations', 'React.useLayoutEffect', 'useEffect'],
] as const)('reads the doc comments of %s', ([, code, wanted]) => {
  const text = `import * as React from 'react';\n${code}`;
  const plain = open(text);
  const hover = project.handlers.description({ path: 'a.tsx', offset: text.length });
  const all = plain.getQuickInfoAtPosition('/a.tsx', text.length);
  expect(hover?.text).toBe(formatDocumentation(all?.documentation, all?.tags));
  expect(hover?.text).toContain(wanted);
});

test('reads the doc comments of a signature and its parameter', () => {
  const text = `document.querySelector(`;
  const plain = open(text);
  const at = { path: 'a.tsx', offset: text.length };
  const all = plain.getSignatureHelpItems('/a.tsx', text.length, undefined);
  const item = all?.items[all.selectedItemIndex];
  expect(project.handlers.signature(at)?.text).toBe(formatDocumentation(item?.documentation, []));
  expect(project.handlers.signature(at)?.text).toContain('MDN Reference');
});

test.for([['document.'], [`'a'.`], ['window.'], ['<input o />', 9], ['[].']] as const)(
  'strikes out deprecated completions of %s',
  ([text, offset = text.length]) => {
    const plain = open(text);
    const entries = plain.getCompletionsAtPosition('/a.tsx', offset, {})?.entries ?? [];
    const deprecated = new Set(
      entries.flatMap(({ name, kindModifiers = '' }) =>
        kindModifiers.includes('deprecated') ? [name] : [],
      ),
    );
    const ours = project.handlers.completions({ path: 'a.tsx', offset, isExplicit: true })?.entries;
    expect(ours?.length).toBeGreaterThan(10);
    expect(ours?.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => name)).toEqual(
      ours?.flatMap(({ name }) => (deprecated.has(name) ? [name] : [])),
    );
  },
);

test.for([
  ['document.querySelector', 'of browsers'],
  ['JSON.stringify', 'of the language'],
] as const)('finds the position of %s in the text with its comments', ([text]) => {
  const plain = open(text);
  const [location] = project.handlers.definitions({ path: 'a.tsx', offset: text.length });
  const source = project.handlers.source({ path: location?.path ?? '' }) ?? '';
  expect(source).toBe(libs.get(location?.path.replace('__vitrine/lib/', '') ?? ''));
  const [wanted] = plain.getDefinitionAtPosition('/a.tsx', text.length) ?? [];
  const before = source.slice(0, wanted?.textSpan.start).split('\n');
  expect(location).toMatchObject({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
});

test('restores the stripped comments of the standard library', () => {
  for (const [name, text] of libs) {
    const stripped = stripComments(text);
    expect(restoreComments(stripped), name).toBe(text);
    expect(stripped.code, name).not.toMatch(/MDN Reference|Microsoft Corporation/);
  }
});

test('keeps text that only looks like a comment', () => {
  const text = `type A = "/* a */" | '/* b */' | \`/* c */\`; // /* d */\n/** e */ type B = 1; /* f */`;
  const stripped = stripComments(text);
  expect(stripped.comments).toBe('/** e *//* f */');
  expect(stripped.code).toContain(`\`/* c */\`; // /* d */\n/***/ type B = 1; /**/`);
  expect(restoreComments(stripped)).toBe(text);
});

const declarations: readonly (readonly [string, string, string])[] = [
  ...['lib.dom.d.ts', 'lib.es5.d.ts', 'lib.es2015.core.d.ts'].map(
    (name) =>
      [`${libFolder}apart/${name}`, strippedLibs.get(name) ?? '', libs.get(name) ?? ''] as const,
  ),
  ...['@types/react/index.d.ts', 'csstype/index.d.ts'].map((name) => {
    const text = project.host.readFile(`/node_modules/${name}`) ?? '';
    return [`/node_modules/${name}`, text, text] as const;
  }),
];

test.for(declarations)(
  'marks what is deprecated in %s without its comments',
  ([name, code, whole]) => {
    const parse = (text: string, jsDocParsingMode: ts.JSDocParsingMode) =>
      ts.createSourceFile(name, text, {
        languageVersion: ts.ScriptTarget.ESNext,
        jsDocParsingMode,
      });
    const file = registerWithoutComments(parse(code, ts.JSDocParsingMode.ParseNone));
    markDeprecated();
    expect(listDeprecated(file)).toEqual(
      listDeprecated(parse(whole, ts.JSDocParsingMode.ParseAll)),
    );
  },
);

/** Internal TypeScript APIs that its declarations leave out. */
const { Deprecated } = ts.NodeFlags as unknown as { Deprecated: number };

function listDeprecated(file: ts.SourceFile): string[] {
  const found: string[] = [];
  let nth = 0;
  const walk = (node: ts.Node): void => {
    nth += 1;
    if ((node.flags & Deprecated) !== 0) found.push(`${ts.SyntaxKind[node.kind]} ${nth}`);
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}
