import { compileFile, createModuleContext, readProjectConfig } from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { readTailwindSheets } from '@vitrine/compiler/native/tailwind';
import { describe, expect, it } from 'vitest';
import { describeCompileOutput } from '../../src/host/describe-compile-output.ts';
import type { PreviewDiagnostic } from '../../src/host/diagnostics.ts';
import { compiledMistakes } from './compiled.ts';
import { compiledParts } from './compiled-parts.ts';
import { compiledSlips } from './compiled-slips.ts';

const nativeParts = {
  loadTransform: () => Promise.resolve(transformScript),
  loadTailwindSheets: readTailwindSheets,
};

/** Diagnostics of all files, in order. */
async function compileAll(files: Record<string, string>): Promise<PreviewDiagnostic[]> {
  const texts = new Map(Object.entries(files));
  const context = createModuleContext(readProjectConfig(texts), {
    origin: '',
    fullExportUrls: new Set(),
  });
  const diagnostics = await Promise.all(
    Array.from(texts, async ([path, text]) => {
      const { map, ...rest } = await compileFile({ path, text }, context, texts, nativeParts);
      const file = { ...rest, mappings: map?.mappings, isLost: false };
      return describeCompileOutput({ path, text, paths: [...texts.keys()] }, file);
    }),
  );
  return diagnostics.flat();
}

describe('a mistake found by the compiler', () => {
  it.each([...compiledMistakes, ...compiledSlips, ...compiledParts])(
    '$name',
    async ({ files, location, message, severity, fix }) => {
      const [first] = await compileAll(files);
      const { path, line, column } = first ?? {};
      expect(`${path}:${line}:${column} ${first?.message}`).toBe(`${location} ${message}`);
      expect(first?.severity).toBe(severity);
      expect(first?.fixes?.[0]?.label).toBe(fix);
    },
  );
});
