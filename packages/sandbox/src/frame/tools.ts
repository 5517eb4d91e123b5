import type { ToolName, ToTool } from '../tool-messages.ts';
import { scriptAddresses } from './environment.ts';
import { offered, type HearHost, type StartTool, type ToolContext } from './tool.ts';

interface Tool {
  /** Said before the tool could hear it. */
  waiting: Parameters<HearHost>[];
  start?: StartTool;
  hear?: HearHost;
  /** Settled when its script is there, or cannot be. */
  loaded: Promise<void>;
}

export interface Tools {
  /** While the document is parsed, by the script that runs first in it. */
  beginWith(names: readonly ToolName[]): void;
  tell(message: ToTool, ports: readonly MessagePort[]): void;
  /** Done when those that were spoken to are there. */
  loaded(): Promise<unknown>;
  /** Lets those begin that had to wait until a document is there to begin in. */
  startAll(): void;
}

/**
 * The scripts that a document does without until they are wanted. One that the host names in the
 * document's address stands in front of user code; any other is loaded when it is first spoken to.
 */
export function createTools(context: ToolContext, startsLater: boolean): Tools {
  const tools = new Map<ToolName, Tool>();
  let mayStart = !startsLater;

  const begin = (tool: Tool) => {
    if (!mayStart || !tool.start || tool.hear) return;
    tool.hear = tool.start(context);
    for (const said of tool.waiting.splice(0)) tool.hear(...said);
  };

  const load = (name: ToolName, insert: (address: string, fail: () => void) => void): Tool => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tool: Tool = { waiting: [], loaded: promise };
    tools.set(name, tool);
    const address = new URL(scriptAddresses[name], location.origin).href;
    const fail = () => {
      context.connection.send({ type: 'tool-missing', tool: name });
      resolve();
    };
    hearOffer(name, (start) => {
      tool.start = start;
      begin(tool);
      resolve();
    });
    try {
      insert(address, fail);
    } catch {
      // A page that demands trusted types takes no addresses from us.
      fail();
    }
    return tool;
  };

  return {
    beginWith(names) {
      for (const name of names)
        load(name, (address, fail) => {
          hearFailure(address, fail);
          document.write(`<script src="${address}"></script>`);
        });
    },
    tell({ tool: name, said }, ports) {
      const tool = tools.get(name) ?? load(name, append);
      if (tool.hear) tool.hear(said, ports);
      else tool.waiting.push([said, ports]);
    },
    loaded: () => Promise.all([...tools.values()].map(({ loaded }) => loaded)),
    startAll() {
      mayStart = true;
      for (const tool of tools.values()) begin(tool);
    },
  };
}

/** The element leaves no trace in the page. */
function append(address: string, fail: () => void): void {
  const script = document.createElement('script');
  script.src = address;
  // To a document of no origin the browser says nothing of errors that another site's script made.
  script.crossOrigin = 'anonymous';
  script.onerror = fail;
  document.documentElement.append(script);
  script.remove();
}

function hearOffer(name: ToolName, hear: (start: StartTool) => void): void {
  addEventListener(offered, (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
    if (isOffer(detail) && detail.name === name) hear(detail.start);
  });
}

function isOffer(detail: unknown): detail is { name: string; start: StartTool } {
  return typeof detail === 'object' && detail !== null && 'name' in detail && 'start' in detail;
}

function hearFailure(address: string, fail: () => void): void {
  const hear = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement && target.src === address) fail();
  };
  addEventListener('error', hear, true);
}
