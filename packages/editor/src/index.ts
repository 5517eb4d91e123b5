export type { EarlyEditor } from './early-editor.ts';
export {
  createEditor,
  adoptEarlyEditor,
  type EditableFile,
  type Editor,
  type EditorFile,
  type EditorOptions,
  type FilesTarget,
} from './editor.ts';
export { loadLanguage } from './languages.ts';
export { type EditorDiagnostic } from './diagnostics.ts';
export {
  createConsoleInput,
  type ConsoleInput,
  type ConsoleInputOptions,
} from './console-input.ts';
export { type ReplCode } from './repl-code.ts';
export { type TabMode } from './tab-key.ts';
export { editorCommands } from './commands/editor-commands.ts';
export { type FoldedLine } from './folded-lines.ts';
export { initialSettings, type EditorSettings } from './settings.ts';
export { type SavedUndoSteps } from './undo-steps.ts';
