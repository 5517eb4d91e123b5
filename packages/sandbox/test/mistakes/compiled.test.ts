import { compileModule, compilePage, createModuleContext, readFacts } from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { describe, expect, it } from 'vitest';
import { describeCompiled } from '../../src/host/describe-compiled.ts';
import type { Problem } from '../../src/host/preview-state.ts';
import { compiledMistakes } from './compiled.ts';

/** What is told of each file, in their order. */
function compileAll(files: Record<string, string>): Problem[] {
  const facts = readFacts(new Map(Object.entries(files)));
  const context = createModuleContext(facts, { origin: '', plainAddresses: new Set() });
  return Object.entries(files).flatMap(([path, text]) => {
    const source = { path, text };
    const file = path.endsWith('.html')
      ? compilePage(source, context)
      : /\.(?:css|json)$/.test(path)
        ? undefined
        : compileModule(source, context, transformScript);
    if (!file) return [];
    const { map, ...rest } = file;
    const compiled = { ...rest, mappings: map?.mappings, isLost: false };
    return describeCompiled({ ...source, paths: Object.keys(files) }, compiled);
  });
}

describe('a mistake that is found before the project runs', () => {
  it.each(compiledMistakes)('$name', ({ files, place, sentence, severity, fix }) => {
    const [first] = compileAll(files);
    const { path, line, column } = first ?? {};
    expect(`${path}:${line}:${column} ${first?.sentence}`).toBe(`${place} ${sentence}`);
    expect(first?.severity).toBe(severity);
    expect(first?.fixes?.[0]?.label).toBe(fix);
  });
});
