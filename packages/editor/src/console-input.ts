import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentSelection,
  insertNewlineAndIndent,
} from '@codemirror/commands';
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { bracketMatching, indentUnit, syntaxTree } from '@codemirror/language';
import { EditorState, Prec, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import type { ErrorCode } from '@vitrine/project/errors';
import { insertFilesAsText } from './sanitize-input.ts';
import { toReplCode, type ReplCode } from './repl-code.ts';
import { InputHistory } from './input-history.ts';
import { textInput } from './text-input.ts';
import { theme } from './theme.ts';

export interface ConsoleInputOptions {
  readonly parent: HTMLElement;
  /** The accessible name. */
  readonly label: string;
  /** Placeholder text. */
  readonly placeholder: string;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  /** Earlier inputs, newest last. */
  readonly history: () => readonly string[];
  /** Names of the properties at a path of property names; of the global scope for an empty path. */
  readonly listProperties: (path: string[]) => Promise<readonly string[]>;
  readonly onRun: (code: ReplCode) => void;
  /** Called when a pasted or dropped file is not inserted. */
  readonly onReject: (code: ErrorCode) => void;
}

export interface ConsoleInput {
  focus(): void;
  close(): void;
}

/**
 * A one-line JavaScript input: Enter runs it, or continues it inside open brackets; Shift+Enter
 * inserts a line break.
 */
export function createConsoleInput(options: ConsoleInputOptions): ConsoleInput {
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({ extensions: createExtensions(options) }),
  });
  return { focus: () => view.focus(), close: () => view.destroy() };
}

function createExtensions(options: ConsoleInputOptions): Extension {
  const inputHistory = new InputHistory(options.history);
  const run = (view: EditorView) => {
    const input = view.state.doc.toString();
    if (input.trim() === '') return true;
    inputHistory.reset();
    view.dispatch({ changes: { from: 0, to: view.state.doc.length } });
    closeCompletion(view);
    options.onRun(toReplCode(input));
    return true;
  };
  return [
    javascriptLanguage,
    autocompletion({
      icons: false,
      selectOnOpen: false,
      // Nothing is selected on open, so that no delay has to protect against accepting by mistake.
      interactionDelay: 0,
      defaultKeymap: false,
      aboveCursor: true,
      override: [(context) => complete(context, options.listProperties)],
    }),
    Prec.high(
      keymap.of([
        { key: 'ArrowDown', run: moveCompletionSelection(true) },
        { key: 'ArrowUp', run: moveCompletionSelection(false) },
        { key: 'Escape', run: closeCompletion },
        { key: 'Tab', run: acceptFirst },
        {
          key: 'Enter',
          run: (view) => acceptSelected(view) || continueInput(view) || run(view),
          shift: insertNewlineAndIndent,
        },
        { key: 'ArrowUp', run: (view) => inputHistory.showOlder(view) },
        { key: 'ArrowDown', run: (view) => inputHistory.showNewer(view) },
      ]),
    ),
    insertFilesAsText(options.onReject),
    textInput,
    closeBrackets(),
    bracketMatching(),
    indentUnit.of('  '),
    history(),
    drawSelection(),
    EditorView.lineWrapping,
    placeholder(options.placeholder),
    keymap.of([...closeBracketsKeymap, ...historyKeymap, ...consoleKeymap]),
    // Of two themes the first wins.
    inputTheme,
    theme,
    EditorView.contentAttributes.of({
      role: 'textbox',
      tabindex: '0',
      'aria-multiline': 'true',
      'aria-label': options.label,
    }),
    options.nonce === undefined ? [] : EditorView.cspNonce.of(options.nonce),
  ];
}

/** Without Ctrl+Alt+\: AltGr, which some browsers report as Ctrl+Alt, types `\` with some keys. */
const consoleKeymap = defaultKeymap.filter(({ run }) => run !== indentSelection);

const inputTheme = EditorView.theme({
  '&': { height: 'auto', backgroundColor: 'transparent' },
  '.cm-scroller': { maxHeight: '120px', lineHeight: '20px' },
  '.cm-content': { padding: '4px 0' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--editor-gutter-foreground)' },
});

/**
 * Inside auto-closed brackets, Enter after a brace or comma inserts a line break: "if (x) {|}",
 * "f(1,|)".
 */
function continueInput(view: EditorView): boolean {
  const { doc, selection } = view.state;
  const { head, empty } = selection.main;
  const endsOpen = empty && /[{,]\s*$/.test(doc.sliceString(0, head));
  const isWithin = endsOpen && /^\s*[}\])]/.test(doc.sliceString(head));
  return isWithin && insertNewlineAndIndent(view);
}

/** No option is selected until an arrow key is pressed, so that Enter runs the typed code. */
function acceptSelected(view: EditorView): boolean {
  return selectedCompletion(view.state) !== null && acceptCompletion(view);
}

function acceptFirst(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  if (selectedCompletion(view.state) === null) moveCompletionSelection(true)(view);
  return acceptCompletion(view);
}

const name = /^[\p{L}$_][\p{L}\p{N}$_]*$/u;
/** "a.b.c" → path "a.b" and prefix "c". */
const propertyPath =
  /(?:([\p{L}$_][\p{L}\p{N}$_]*(?:\??\.[\p{L}$_][\p{L}\p{N}$_]*)*)\??\.)?([\p{L}\p{N}$_]*)$/u;
const keywords = ['async', 'await', 'class', 'const', 'delete', 'false', 'for', 'function', 'if'];
const moreKeywords = ['let', 'new', 'null', 'return', 'this', 'throw', 'true', 'typeof', 'void'];

async function complete(
  context: CompletionContext,
  names: ConsoleInputOptions['listProperties'],
): Promise<CompletionResult | null> {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1);
  if (/String|Comment|RegExp/.test(node.name)) return null;
  const before = context.state.sliceDoc(Math.max(0, context.pos - 300), context.pos);
  const [whole = '', path, prefix = ''] = propertyPath.exec(before) ?? [];
  const preceding = before.at(-whole.length - 1);
  if (path === undefined) {
    // The value of a call or index expression is unknown without running it.
    if (preceding === '.' || /^\d/.test(prefix) || (prefix === '' && !context.explicit))
      return null;
  }
  const found = await names(path === undefined ? [] : path.split(/\??\./));
  const all = path === undefined ? [...keywords, ...moreKeywords, ...found] : found;
  const options = [...new Set(all)].filter((each) => name.test(each)).map((label) => ({ label }));
  if (options.length === 0) return null;
  return { from: context.pos - prefix.length, options, validFor: /^[\p{L}\p{N}$_]*$/u };
}
