import type { ToolName, ToTool } from '../tool-messages.ts';
import { scriptUrls } from './environment.ts';
import {
  toolEvent,
  type ToolMessageHandler,
  type StartTool,
  type ToolContext,
} from './tools/tool.ts';

interface Tool {
  /** Messages that came before the tool was loaded. */
  waiting: Parameters<ToolMessageHandler>[];
  start?: StartTool;
  onMessage?: ToolMessageHandler;
  /** Resolves when the tool's script has loaded or failed. */
  loaded: Promise<void>;
}

export interface Tools {
  /** Loads tools synchronously; called by the document's first script while the document is parsed. */
  loadSync(names: readonly ToolName[]): void;
  send(message: ToTool, ports: readonly MessagePort[]): void;
  /** Resolves when all tools that got a message are loaded. */
  loaded(): Promise<unknown>;
  /** Starts tools that had to wait for the document. */
  startPending(): void;
}

/**
 * Loads tools on demand. A tool named in the document's URL runs before user code; any other is loaded with its
 * first message.
 */
export function createTools(context: ToolContext, startsLater: boolean): Tools {
  const tools = new Map<ToolName, Tool>();
  let mayStart = !startsLater;

  const startWhenReady = (tool: Tool) => {
    if (!mayStart || !tool.start || tool.onMessage) return;
    tool.onMessage = tool.start(context);
    for (const args of tool.waiting.splice(0)) tool.onMessage(...args);
  };

  const load = (name: ToolName, insert: (url: string, fail: () => void) => void): Tool => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tool: Tool = { waiting: [], loaded: promise };
    tools.set(name, tool);
    const url = new URL(scriptUrls[name], location.origin).href;
    const fail = () => {
      context.connection.send({ type: 'tool-missing', tool: name });
      resolve();
    };
    onRegistered(name, (start) => {
      tool.start = start;
      startWhenReady(tool);
      resolve();
    });
    try {
      insert(url, fail);
    } catch {
      // The page requires Trusted Types for script URLs.
      fail();
    }
    return tool;
  };

  return {
    loadSync(names) {
      for (const name of names)
        load(name, (url, fail) => {
          onFailure(url, fail);
          document.write(`<script src="${url}"></script>`);
        });
    },
    send({ tool: name, message }, ports) {
      const tool = tools.get(name) ?? load(name, append);
      if (tool.onMessage) tool.onMessage(message, ports);
      else tool.waiting.push([message, ports]);
    },
    loaded: () => Promise.all([...tools.values()].map(({ loaded }) => loaded)),
    startPending() {
      mayStart = true;
      for (const tool of tools.values()) startWhenReady(tool);
    },
  };
}

/** Appends a script and removes its element from the page. */
function append(url: string, fail: () => void): void {
  const script = document.createElement('script');
  script.src = url;
  // Without CORS, browsers hide errors of cross-origin scripts from an opaque-origin document.
  script.crossOrigin = 'anonymous';
  script.onerror = fail;
  document.documentElement.append(script);
  script.remove();
}

function onRegistered(name: ToolName, listener: (start: StartTool) => void): void {
  addEventListener(toolEvent, (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
    if (isOffer(detail) && detail.name === name) listener(detail.start);
  });
}

function isOffer(detail: unknown): detail is { name: string; start: StartTool } {
  return typeof detail === 'object' && detail !== null && 'name' in detail && 'start' in detail;
}

function onFailure(url: string, fail: () => void): void {
  const listener = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement && target.src === url) fail();
  };
  addEventListener('error', listener, true);
}
