/**
 * Runs in a page before its scripts: records when a key was pressed and its completions were shown.
 */
export function watchLanguage(): void {
  const watched = { keyMs: 0, listMs: [] as number[], editorMs: 0, typesMs: 0 };
  window.language = watched;
  addEventListener('keydown', ({ timeStamp }) => (watched.keyMs = timeStamp), true);
  let isListed = false;
  new MutationObserver(() => {
    if (watched.editorMs === 0 && document.querySelector('.cm-content')) {
      watched.editorMs = performance.now();
    }
    const hasList = document.querySelector('.cm-tooltip-autocomplete [role=option]') !== null;
    if (hasList && !isListed)
      requestAnimationFrame((now) =>
        watched.listMs.push(Math.max(now, performance.now()) - watched.keyMs),
      );
    isListed = hasList;
  }).observe(document, { childList: true, subtree: true });
  const Own = window.Worker;
  window.Worker = class extends Own {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      if (!String(url).includes('language-worker')) return;
      this.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) => {
        if (data.type === 'answer' && watched.typesMs === 0) watched.typesMs = performance.now();
      });
    }
  };
}

declare global {
  interface Window {
    language: { keyMs: number; listMs: number[]; editorMs: number; typesMs: number };
  }
}
