/**
 * The test app's page in a browser, driven the same way by Playwright and Puppeteer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type {
  AccessibilityReport,
  ConsoleLogEntry,
  NetworkLog,
  PreviewDiagnostic,
  PageLocation,
} from '../../src/host/index.ts';
import type { TestReport } from '../../src/host/tests/index.ts';
import type { Rig } from './app-server.ts';
import type { StartOptions } from './app-page.ts';

/** Methods that both drivers' pages have. */
export interface DrivenPage {
  goto(address: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  frames(): DrivenFrame[];
}

interface DrivenFrame {
  url(): string;
  evaluate(script: string): Promise<unknown>;
  parentFrame(): DrivenFrame | null;
}

/** A page of Puppeteer as the rig drives it. */
export function asDriven(page: Page): DrivenPage {
  return {
    goto: (address) => page.goto(address),
    evaluate: (script) => page.evaluate(script),
    frames: () => page.frames(),
  };
}

export interface Seen {
  states: { status: string; at: number }[];
  lines: ConsoleLogEntry[];
  dropped: number;
  problems: PreviewDiagnostic[];
  missing: string | null;
  at: PageLocation | null;
  network: NetworkLog;
  accessibility: AccessibilityReport;
  longestGapMs: number;
  report: TestReport | null;
  status: string;
  message: string | undefined;
}

export class TestWorkspace {
  readonly page: DrivenPage;
  readonly rig: Rig;
  /** Key of a project that is started without one. */
  key = 'draft--one';
  /** User agent that preview hosts are chosen by, unless it's the browser's own. */
  userAgent: string | undefined;
  /** Projects are started in the same page; otherwise each start reloads it. */
  keepsPage = false;

  constructor(page: DrivenPage, rig: Rig) {
    this.page = page;
    this.rig = rig;
  }

  async open(): Promise<void> {
    await this.page.goto(`${this.rig.appOrigin}/`);
    await this.until('!!window.rig', (ready) => ready === true);
  }

  async start(o: Partial<StartOptions> & { files: Record<string, string> }): Promise<void> {
    if (this.keepsPage && (await this.isOpen())) await this.end();
    else await this.open();
    await this.startHere(o);
  }

  async isOpen(): Promise<boolean> {
    return (await this.page.evaluate('!!window.rig')) === true;
  }

  /** Closes the preview, so that another can start in the same page. */
  async end(): Promise<void> {
    await this.page.evaluate('rig.end()');
    await this.until('document.querySelectorAll("iframe").length', (count) => count === 0);
  }

  async startHere(o: Partial<StartOptions> & { files: Record<string, string> }): Promise<void> {
    const options: StartOptions = {
      key: this.key,
      served: null,
      previewHost: this.rig.previewHost,
      isSrcdoc: false,
      ...(this.userAgent !== undefined && { userAgent: this.userAgent }),
      ...o,
    };
    await this.page.evaluate(`rig.start(${JSON.stringify(options)})`);
  }

  /** Starts and waits until the preview runs. */
  async run(o: Partial<StartOptions> & { files: Record<string, string> }): Promise<void> {
    await this.start(o);
    await this.reach('running');
  }

  async edit(changes: Record<string, string>): Promise<void> {
    await this.page.evaluate(`rig.edit(${JSON.stringify(changes)})`);
  }

  async seen(): Promise<Seen> {
    const seen: unknown = await this.page.evaluate(
      `JSON.stringify({ ...rig.seen, status: preview.state.status, message: preview.state.message })`,
    );
    return JSON.parse(String(seen)) as Seen;
  }

  reach(status: string, withinMs = 10_000): Promise<Seen> {
    return this.seenUntil((seen) => seen.status === status, `status ${status}`, withinMs);
  }

  async seenUntil(
    holds: (seen: Seen) => boolean,
    what = 'the preview',
    withinMs = 10_000,
  ): Promise<Seen> {
    return pollUntil(() => this.seen(), holds, what, withinMs);
  }

  /** Value of a script in the preview's page; polled until `holds`. */
  async untilInResult(
    script: string,
    holds: (value: unknown) => boolean,
    withinMs = 10_000,
  ): Promise<unknown> {
    return pollUntil(() => this.inResult(script), holds, script, withinMs);
  }

  /** Undefined while the preview is between two documents. */
  async inResult(script: string): Promise<unknown> {
    const frame = this.page
      .frames()
      .filter((candidate) => isResult(candidate.url()) && isOutermost(candidate))
      .at(-1);
    // Drivers never respond for a frame that is removed during a call.
    const gone = new AbortController();
    const patience = delay(2_000, undefined, { signal: gone.signal });
    try {
      return await Promise.race([frame?.evaluate(script), patience]);
    } catch {
      // The document was replaced during the call.
      return undefined;
    } finally {
      patience.catch(() => undefined);
      gone.abort();
    }
  }

  until(script: string, holds: (value: unknown) => boolean): Promise<unknown> {
    return pollUntil(() => this.page.evaluate(script), holds, script, 10_000);
  }
}

/** The preview's frame in the page itself; projects may have nested frames. */
function isOutermost(frame: DrivenFrame): boolean {
  return frame.parentFrame()?.parentFrame() === null;
}

function isResult(address: string): boolean {
  return /:\/\/\w+--|conforming\.|-preview\.|127\.0\.0\.1|__vitrine|about:srcdoc/.test(address);
}

export async function pollUntil<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  what: string,
  withinMs: number,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end)
      throw new Error(
        `waited ${withinMs} ms for ${what}; last: ${JSON.stringify(value)?.slice(0, 2_000)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
