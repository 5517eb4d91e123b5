/**
 * Debian's WebKitGTK (`webkit2gtk-driver`) in a virtual display (`xvfb`), over the W3C WebDriver protocol. One session has one
 * window and nothing from earlier sessions. Screenshots and console messages aren't available: screenshots never return, and
 * the protocol has no console.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const driverPath = '/usr/bin/WebKitWebDriver';
const displayPath = '/usr/bin/Xvfb';

/** Whether Debian's packages are installed. They don't exist on macOS. */
export const hasWebKit = existsSync(driverPath) && existsSync(displayPath);

/** Characters of keys in the WebDriver standard. */
export const keys = { control: '\uE009', delete: '\uE017' } as const;

/** Number that the driver has given an element of the page. */
export type ElementId = string;

export interface WebKit {
  readonly page: WebKitPage;
  close(): Promise<void>;
}

/** Starts a display, a driver and a browser with a new profile. Takes about a second. */
export async function startWebKit(): Promise<WebKit> {
  const display = spawn(
    displayPath,
    ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true },
  );
  let driver: ChildProcess | undefined;
  const close = async () => {
    if (driver) await endGroup(driver);
    await endGroup(display);
  };
  try {
    const address = `http://127.0.0.1:${await findFreePort()}`;
    driver = spawnDriver(address, await readDisplay(display));
    await waitUntilReady(driver, address);
    return { page: new WebKitPage(await openSession(address)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The browser's window. Commands run one after the other, because all share the session's current frame. */
export class WebKitPage {
  readonly #session: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: string) {
    this.#session = session;
  }

  /** Opens a URL and resolves once the page has loaded. */
  goto(address: string): Promise<unknown> {
    return this.#enqueue(() => this.#send('POST', '/url', { url: address }));
  }

  /** The (awaited) value of a script, as JSON. Needs a page that allows `eval`. */
  evaluate(script: string): Promise<unknown> {
    return this.#enqueue(() => this.#evaluate(script));
  }

  /** Calls a function in the page, with arguments and a result as JSON. */
  call<A extends readonly unknown[]>(body: (...args: A) => unknown, ...args: A): Promise<unknown> {
    return this.#enqueue(() => this.#call(body, args));
  }

  /** The element that a function finds in the page, or null. */
  findElement<A extends readonly unknown[]>(
    find: (...args: A) => Element | null,
    ...args: A
  ): Promise<ElementId | null> {
    return this.#enqueue(async () => {
      const found = await this.#call(find, args);
      return typeof found === 'object' && found !== null ? String(Object.values(found)[0]) : null;
    });
  }

  /** Clicks an element with the pointer. */
  click(element: ElementId): Promise<unknown> {
    return this.#enqueue(() => this.#send('POST', `/element/${element}/click`, {}));
  }

  /** Reads an element's text, visible or not. */
  readText(element: ElementId): Promise<unknown> {
    return this.#enqueue(() => this.#send('GET', `/element/${element}/property/textContent`));
  }

  /**
   * The preview's frame, as far as the rig can find it: the last frame of the page. A call in it takes the focus out of the
   * page.
   */
  frames() {
    const page = { url: () => '', evaluate: () => this.evaluate(''), parentFrame: () => null };
    return [
      {
        url: () => 'about:srcdoc',
        evaluate: (script: string) => this.#inFrame('iframe', () => this.#evaluate(script)),
        parentFrame: () => page,
      },
    ];
  }

  /** Types into the focused element, one key after the other. */
  type(text: string): Promise<unknown> {
    return this.#pressKeys(
      [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    );
  }

  /** Presses keys together, named by their characters in the WebDriver standard (`keys`). */
  press(...names: string[]): Promise<unknown> {
    return this.#pressKeys([
      ...names.map((value) => ({ type: 'keyDown', value })),
      ...names.toReversed().map((value) => ({ type: 'keyUp', value })),
    ]);
  }

  #pressKeys(actions: { type: string; value: string }[]): Promise<unknown> {
    return this.#enqueue(() =>
      this.#send('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] }),
    );
  }

  #call<A extends readonly unknown[]>(body: (...args: A) => unknown, args: A): Promise<unknown> {
    const script = `return (${String(body)}).apply(null, arguments)`;
    return this.#send('POST', '/execute/sync', { script, args });
  }

  async #evaluate(script: string): Promise<unknown> {
    const json = await this.#call(
      (source) =>
        // oxlint-disable-next-line no-eval -- It's the driver's counterpart of the console, and the scripts are the tests'.
        Promise.resolve<unknown>(globalThis.eval(source)).then((value) =>
          JSON.stringify({ value }),
        ),
      [script],
    );
    const { value } = JSON.parse(String(json)) as { value?: unknown };
    return value;
  }

  #inFrame<T>(selector: string, act: () => Promise<T>): Promise<T | undefined> {
    return this.#enqueue(async () => {
      const found = await this.#send('POST', '/elements', {
        using: 'css selector',
        value: selector,
      });
      const id: unknown = Array.isArray(found) ? found.at(-1) : undefined;
      if (id === undefined) return undefined;
      await this.#send('POST', '/frame', { id });
      try {
        return await act();
      } finally {
        await this.#send('POST', '/frame', { id: null });
      }
    });
  }

  #enqueue<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#last.then(act);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #send(method: string, path: string, body?: object): Promise<unknown> {
    return send(method, `${this.#session}${path}`, body);
  }
}

/** Sends a WebDriver command. Throws if it fails, such as a script that throws. */
async function send(method: string, address: string, body?: object): Promise<unknown> {
  const response = await fetch(address, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`${method} ${address}: ${JSON.stringify(value)}`);
  return value;
}

async function readDisplay({ stdio }: ChildProcess): Promise<string> {
  const [number] = (await once(stdio[3] as Readable, 'data')) as [Buffer];
  return `:${number.toString().trim()}`;
}

/** Starts a driver in a process group of its own, which the browser joins. */
function spawnDriver(address: string, display: string): ChildProcess {
  return spawn(driverPath, [`--port=${new URL(address).port}`], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      DISPLAY: display,
      // The browser's own sandbox needs user namespaces, which containers refuse.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
}

async function waitUntilReady(driver: ChildProcess, address: string): Promise<void> {
  const isReady = () =>
    send('GET', `${address}/status`).then(
      () => true,
      () => false,
    );
  while (!(await isReady())) {
    if (driver.exitCode !== null) throw new Error(`${driverPath} exited with ${driver.exitCode}`);
    await delay(20);
  }
}

/** Resolves to the URL of a new session. */
async function openSession(address: string): Promise<string> {
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser');
  const options = { binary, args: ['--automation'] };
  const session = await send('POST', `${address}/session`, {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  });
  return `${address}/session/${(session as { sessionId: string }).sessionId}`;
}

/** Ends a process and those that it started. */
async function endGroup(leader: ChildProcess): Promise<void> {
  if (leader.pid === undefined || leader.exitCode !== null) return;
  const exited = once(leader, 'exit');
  process.kill(-leader.pid, 'SIGKILL');
  await exited;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}
