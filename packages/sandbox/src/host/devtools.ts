import type { Theme, ToDevtoolsTool } from '../devtools-messages.ts';
import type { Place } from '../place.ts';
import type { FromFrame } from '../protocol.ts';
import type { FramePowers } from '../frame-attributes.ts';
import { openFrame, type Frame } from './frame.ts';

/** How far the DevTools tab has come. */
export type DevtoolsState =
  | { status: 'opening' }
  | { status: 'shown' }
  /** The front end did not come, or the page keeps out what answers it. */
  | { status: 'failed'; sentence: string };

export interface DevtoolsView {
  setTheme(theme: Theme): void;
  close(): void;
}

export interface OpenDevtools {
  /** The front end's frame is put in here and fills it. */
  element: HTMLElement;
  theme: Theme;
  onState(state: DevtoolsState): void;
}

export interface Devtools {
  /** Looks into the document that runs, and into each that takes its place; one at a time. */
  open(options: OpenDevtools): DevtoolsView;
}

export interface DevtoolsOptions {
  place: Place;
  key: string;
  say(said: ToDevtoolsTool, ports?: MessagePort[]): void;
  reload(): void;
}

const shownWithinMs = 20_000;
/** No popups: what the front end's texts link to is asked of nobody. */
const powers: FramePowers = { sandbox: 'allow-scripts allow-downloads', allow: 'clipboard-write' };

export function createDevtools(o: DevtoolsOptions) {
  let frame: Frame | undefined;
  /** The front end has said hello. */
  let isReady = false;
  /** It has something on the screen. */
  let isShown = false;
  /** The document that is there did not let the tool in. */
  let isKeptOut = false;
  let tell: (state: DevtoolsState) => void = () => undefined;
  let tooLate: ReturnType<typeof setTimeout> | undefined;

  const fail = (sentence: string) => tell({ status: 'failed', sentence });
  const failToCome = () =>
    fail('DevTools failed to load. Check your connection, then open it again.');

  const tellState = () => {
    if (isKeptOut) fail('This page’s Content Security Policy blocks DevTools.');
    else if (isShown) tell({ status: 'shown' });
  };

  /** Joins the front end with the document that is there now. */
  const link = () => {
    if (!frame || !isReady) return;
    const { port1, port2 } = new MessageChannel();
    frame.send({ type: 'devtools', said: { type: 'link' } }, [port1]);
    o.say({ type: 'link' }, [port2]);
  };
  const hear = (message: FromFrame) => {
    if (message.type === 'reload-page') o.reload();
    if (message.type !== 'painted') return;
    clearTimeout(tooLate);
    isShown = true;
    tellState();
  };
  const close = () => {
    if (!frame) return;
    clearTimeout(tooLate);
    tell = () => undefined;
    void frame.close();
    frame = undefined;
    isReady = false;
    isShown = false;
    o.say({ type: 'unlink' });
  };

  return {
    get isOpen() {
      return frame !== undefined;
    },
    open({ element, theme, onState }: OpenDevtools): DevtoolsView {
      close();
      tell = onState;
      tooLate = setTimeout(failToCome, shownWithinMs);
      const own = openFrame(element, {
        title: 'DevTools',
        ...findPage(o.place, o.key, theme),
        powers,
        onHello({ shown }) {
          if (shown.kind !== 'devtools') return;
          isReady = true;
          link();
        },
        onMessage: hear,
        onStranger: failToCome,
      });
      frame = own;
      return {
        setTheme: (next) => own.send({ type: 'devtools', said: { type: 'theme', theme: next } }),
        close: () => frame === own && close(),
      };
    },
    /** The document did not let the tool in. */
    hearMissing(): void {
      isKeptOut = true;
      tellState();
    },
    /** Another document is there. */
    begin(): void {
      const wasKeptOut = isKeptOut;
      isKeptOut = false;
      if (wasKeptOut) tellState();
      link();
    },
    close,
  };
}

/** Where its page is: at an origin of its own beside the preview's, or a document without one. */
function findPage(place: Place, key: string, theme: Theme): { address: string; origin: string } {
  const page = `/__vitrine/devtools?embedded=vitrine&theme=${theme}`;
  if (place.path === 'portable') return { address: `${place.origin}${page}`, origin: 'null' };
  const origin = place.origin(key.replace(/^(?:.*--)?/, 'devtools--'));
  return { address: `${origin}${page}`, origin };
}
