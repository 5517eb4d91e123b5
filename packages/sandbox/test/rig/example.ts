import { toTextFiles } from '@vitrine/project';
import { mount } from '@vitrine/sandbox/host';
import { detectPreviewHost } from '@vitrine/sandbox/preview-host';

/** Runs a draft of two files in an element of a page of the app. */
export function showDraft(element: HTMLElement, previewHost: string) {
  const files = toTextFiles([
    ['index.html', '<link rel="stylesheet" href="style.css"><h1>Hello</h1>'],
    ['style.css', 'h1 { color: teal }'],
  ]);
  const preview = mount({
    element,
    title: 'Result',
    key: 'draft--hello',
    previewHost: detectPreviewHost({
      appOrigin: location.origin,
      separateHost: previewHost,
      userAgent: navigator.userAgent,
      isSecureContext,
      hasServiceWorker: 'serviceWorker' in navigator,
    }),
    files,
    served: null,
  });
  preview.on((event) => {
    if (event.type === 'state') element.dataset['status'] = event.state.status;
    if (event.type === 'problem') element.dataset['problem'] = event.problems[0]?.message ?? '';
  });
  return {
    /** Changes one file. */
    edit: (path: string, text: string) =>
      preview.update({ changed: toTextFiles([[path, text]]), removed: [] }),
    close: () => preview.close(),
  };
}
