import { setDiagnosticsEffect } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { createDiagnosticsUpdate, diagnosticCount } from '../src/diagnostics.ts';

test('diagnostics whose text was deleted are cleared, so that their gutter marker goes too', () => {
  const broken = { line: 1, column: 3, severity: 'error', message: 'Expected “}”.' } as const;
  const start = EditorState.create({ doc: 'a {b\nc', extensions: diagnosticCount });
  const shown = start.update(createDiagnosticsUpdate(start, [broken]) ?? {}).state;
  expect(createDiagnosticsUpdate(shown, [broken])).toBeUndefined();
  const fixed = shown.update({ changes: { from: 0, to: 4, insert: 'ab' } }).state;
  const clearing = fixed.update(createDiagnosticsUpdate(fixed, []) ?? {});
  expect(clearing.effects.some((effect) => effect.is(setDiagnosticsEffect))).toBe(true);
  expect(createDiagnosticsUpdate(clearing.state, [])).toBeUndefined();
});
