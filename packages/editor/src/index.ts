export type { BegunEditor } from './begun-editor.ts';
export {
  createEditor,
  takeEditor,
  type Editor,
  type EditorFile,
  type EditorOptions,
} from './editor.ts';
export { loadLanguage } from './languages.ts';
export { type EditorProblem } from './problems.ts';
export { createPrompt, type Prompt, type PromptOptions } from './prompt.ts';
export { type PromptCode } from './prompt-code.ts';
export { type TabMode } from './tab-key.ts';
export { editorCommands } from './commands/table.ts';
export { type FoldedLine } from './folded-lines.ts';
export { initialSettings, type EditorSettings } from './settings.ts';
export { type KeptSteps } from './undo-steps.ts';
