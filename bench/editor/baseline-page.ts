/** Bare CodeMirror with a static completion list of two hundred names. */
import { autocompletion } from '@codemirror/autocomplete';
import { EditorView } from '@codemirror/view';

const options = Array.from({ length: 200 }, (_, index) => ({
  label: `name${index}`,
  type: 'method',
}));

document.body.append(
  new EditorView({
    extensions: autocompletion({
      activateOnTypingDelay: 0,
      icons: false,
      override: [({ pos }) => ({ from: pos, options, filter: false })],
    }),
  }).dom,
);
