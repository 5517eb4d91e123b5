import { listTextFiles } from '@vitrine/project';
import { openDocument, openDraftStore } from '../src/index.ts';

/** Functions that the killed-browser test calls in the page. */
declare global {
  var typing: {
    start(): Promise<string>;
    read(id: string): Promise<string>;
  };
}

globalThis.typing = {
  /** Opens a draft and types a token every 20 ms; each is logged with the time of its key press. */
  async start() {
    const store = openDraftStore({ owner: null });
    const draft = await store.create({ title: 'Typing', files: [['a.txt', '']] });
    const live = await openDocument({ id: draft.id, kind: 'draft', owner: null });
    const text = listTextFiles(live.doc)[0]?.text;
    let count = 0;
    setInterval(() => {
      text?.insert(text.length, `<${count}>`);
      console.log(`typed ${count++} ${Date.now()}`);
    }, 20);
    return draft.id;
  },

  async read(id) {
    const live = await openDocument({ id, kind: 'draft', owner: null });
    return listTextFiles(live.doc)[0]?.text.toString() ?? '';
  },
};
