/** What the test app's page offers to tests, as globals. */
import { mount, type MountOptions, type PreviewEvent } from '../../src/host/index.ts';
import { choosePlace } from '../../src/place.ts';

const page = {
  mount,
  choosePlace,
  events: [] as (PreviewEvent & { at: number })[],
  /** Mounts on the path that suits this browser, and keeps every event. */
  start(o: Omit<MountOptions, 'element' | 'title' | 'place' | 'files'> & { files: Record<string, string>; previewHost?: string; portable?: boolean }) {
    const chosen = choosePlace({
      appOrigin: location.origin,
      userAgent: navigator.userAgent,
      secureContext: isSecureContext,
      serviceWorker: 'serviceWorker' in navigator && !o.portable,
      ...(o.previewHost ? { previewHost: o.previewHost } : {}),
    });
    const element = document.querySelector<HTMLElement>('#result');
    if (!element) throw new Error('the page has no place for a result');
    const preview = mount({ ...o, element, title: 'Result', place: chosen, files: new Map(Object.entries(o.files)) });
    preview.on((event) => page.events.push({ ...event, at: performance.now() }));
    return preview;
  },
};

declare global {
  interface Window {
    rig: typeof page;
    preview: ReturnType<typeof mount>;
  }
}
window.rig = page;
