import ts from 'typescript';
import { expect, test } from 'vitest';
import { textOf } from '../src/typescript/descriptions.ts';
import { leaveComments, markDeprecated } from '../src/typescript/comments.ts';
import { joinTypes } from '../src/typescript/package-types.ts';
import { libFolder } from '../src/typescript/project-host.ts';
import { plainService, reactTypes, Understood } from './typescript-projects.ts';

const project = new Understood();
project.setPackages(reactTypes);
const { files: types } = joinTypes(reactTypes);

/** The same file in ours and in TypeScript’s own service, where all comments are read. */
function open(text: string) {
  project.setFiles(new Map([['a.tsx', text]]));
  return plainService(new Map([...types, ['/a.tsx', text]]), project.host.options);
}

test.for([
  ['with an address', 'document.querySelector', 'MDN Reference'],
  ['of a variable, ahead of its statement', 'JSON', 'intrinsic object'],
  ['of a parameter', `'a'.indexOf`, '@param searchString'],
  ['of what is deprecated', `'a'.substr`, '@deprecated'],
  ['of something else, which it comes from', 'document.createElement', 'MDN Reference'],
  ['with an example', 'React.useState', '@version 16.8.0'],
  ['that name other declarations', 'React.useLayoutEffect', 'useEffect'],
] as const)('comments are told %s', ([, code, wanted]) => {
  const text = `import * as React from 'react';\n${code}`;
  const plain = open(text);
  const told = project.answers.description({ path: 'a.tsx', offset: text.length });
  const all = plain.getQuickInfoAtPosition('/a.tsx', text.length);
  expect(told?.text).toBe(textOf(all?.documentation, all?.tags));
  expect(told?.text).toContain(wanted);
});

test('the signature of a call is told with what its argument is', () => {
  const text = `document.querySelector(`;
  const plain = open(text);
  const at = { path: 'a.tsx', offset: text.length };
  const all = plain.getSignatureHelpItems('/a.tsx', text.length, undefined);
  const item = all?.items[all.selectedItemIndex];
  expect(project.answers.signature(at)?.text).toBe(textOf(item?.documentation, []));
  expect(project.answers.signature(at)?.text).toContain('MDN Reference');
});

test.for([['document.'], [`'a'.`], ['window.'], ['<input o />', 9], ['[].']] as const)(
  'completions of %s strike out what is deprecated',
  ([text, offset = text.length]) => {
    const plain = open(text);
    const entries = plain.getCompletionsAtPosition('/a.tsx', offset, {})?.entries ?? [];
    const struck = new Set(
      entries.flatMap(({ name, kindModifiers = '' }) =>
        kindModifiers.includes('deprecated') ? [name] : [],
      ),
    );
    const ours = project.answers.completions({ path: 'a.tsx', offset, isExplicit: true })?.entries;
    expect(ours?.length).toBeGreaterThan(10);
    expect(ours?.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => name)).toEqual(
      ours?.flatMap(({ name }) => (struck.has(name) ? [name] : [])),
    );
  },
);

const declarations = [
  ...['lib.dom.d.ts', 'lib.es5.d.ts', 'lib.es2015.core.d.ts'].map((name) => libFolder + name),
  ...['@types/react/index.d.ts', 'csstype/index.d.ts'].map((name) => `/node_modules/${name}`),
];

test.for(declarations)('what is deprecated in %s is known without its other comments', (name) => {
  const text = project.host.readFile(name) ?? '';
  const parse = (jsDocParsingMode: ts.JSDocParsingMode) =>
    ts.createSourceFile(name, text, { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode });
  const known = leaveComments(parse(ts.JSDocParsingMode.ParseNone));
  markDeprecated();
  expect(listDeprecated(known)).toEqual(listDeprecated(parse(ts.JSDocParsingMode.ParseAll)));
});

/** What TypeScript has, and does not declare. */
const { Deprecated } = ts.NodeFlags as unknown as { Deprecated: number };

function listDeprecated(file: ts.SourceFile): string[] {
  const found: string[] = [];
  const walk = (node: ts.Node): void => {
    if ((node.flags & Deprecated) !== 0) found.push(`${ts.SyntaxKind[node.kind]} ${node.pos}`);
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}
