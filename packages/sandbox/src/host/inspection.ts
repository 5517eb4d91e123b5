/**
 * Developer tools of a preview: network, accessibility checks, screenshots, DevTools, media emulation. A
 * tool's script is loaded into a document when it is first used, and set up again in each new document.
 */
import { noMediaEmulation, type MediaEmulation } from '../media-emulation.ts';
import type { NetworkRule } from '../network-rules.ts';
import type { PreviewHost } from '../preview-host.ts';
import type { FromFrame } from '../protocol.ts';
import type { ScreenshotPurpose, ToolName, ToTool } from '../tool-messages.ts';
import { createDevtools } from './devtools.ts';
import { createAccessibility, type AccessibilityReport } from './accessibility.ts';
import type { CompileQueue } from './compile-queue.ts';
import { createNetwork, type NetworkLog } from './network.ts';
import type { ModuleStore } from './module-store.ts';

interface InspectionOptions {
  compileQueue: CompileQueue;
  moduleStore: ModuleStore;
  previewHost: PreviewHost;
  key: string;
  page(): string | null;
  onNetwork(log: NetworkLog): void;
  onAccessibility(report: AccessibilityReport): void;
  send(message: ToTool, ports?: MessagePort[]): void;
  reload(): void;
  sendNetworkRules(rules: NetworkRule[]): void;
}

/** A screenshot of the visible part of the page, or the failure to take one. */
export type Screenshot =
  { status: 'taken'; png: ArrayBuffer; undrawn: readonly string[] } | { status: 'failed' };

/** Time after which a screenshot counts as failed. Nobody waits for a poster. */
const screenshotTimeoutMs = { user: 30_000, poster: 10_000 };

export function createInspection(o: InspectionOptions) {
  let emulation = noMediaEmulation;
  const emulationTools = (): ('dark' | 'light' | 'reduced-motion')[] => [
    ...(emulation.colorScheme ? [emulation.colorScheme] : []),
    ...(emulation.reducedMotion ? ['reduced-motion' as const] : []),
  ];
  /** Resolvers of the pending screenshots, one of each purpose. */
  const pendingScreenshots = new Map<ScreenshotPurpose, (picture: Screenshot) => void>();
  const failScreenshots = () => {
    for (const resolve of pendingScreenshots.values()) resolve({ status: 'failed' });
  };
  const network = createNetwork({
    compileQueue: o.compileQueue,
    onChange: o.onNetwork,
    send: (message) => o.send({ tool: 'network', message }),
    sendToServiceWorker: o.sendNetworkRules,
  });
  const accessibility = createAccessibility({
    compileQueue: o.compileQueue,
    moduleStore: o.moduleStore,
    page: o.page,
    onChange: o.onAccessibility,
    send: (message) => o.send({ tool: 'accessibility', message }),
  });

  const devtools = createDevtools({
    previewHost: o.previewHost,
    key: o.key,
    send: (message, ports) => o.send({ tool: 'devtools', message }, ports),
    reload: o.reload,
  });

  return {
    network,
    accessibility,
    devtools,
    /** Tools that the next document has to load before its own scripts. */
    scripts(): ToolName[] {
      return [
        ...(network.isWatching ? ['network' as const] : []),
        ...(devtools.isOpen ? ['devtools' as const] : []),
        ...emulationTools(),
      ];
    },
    /** Sets the emulation for the next document, which the caller loads; false if nothing changed. */
    setMediaEmulation(next: MediaEmulation): boolean {
      const before = emulationTools().join();
      emulation = next;
      return emulationTools().join() !== before;
    },
    /**
     * Takes a screenshot; one at a time of each purpose. There is no poster while the network is recorded, since
     * rendering requests the page's images again.
     */
    takeScreenshot(purpose: ScreenshotPurpose): Promise<Screenshot> {
      if (purpose === 'poster' && network.isWatching) return Promise.resolve({ status: 'failed' });
      pendingScreenshots.get(purpose)?.({ status: 'failed' });
      return new Promise((resolve) => {
        const finish = (picture: Screenshot) => {
          clearTimeout(timeout);
          pendingScreenshots.delete(purpose);
          resolve(picture);
        };
        const timeout = setTimeout(
          () => finish({ status: 'failed' }),
          screenshotTimeoutMs[purpose],
        );
        pendingScreenshots.set(purpose, finish);
        o.send({ tool: 'screenshot', message: { type: 'take', purpose } });
      });
    },
    onMessage(message: FromFrame): void {
      switch (message.type) {
        case 'requests':
        case 'details':
          network.onMessage(message);
          break;
        case 'audit-started':
        case 'findings':
        case 'audit-failed':
          accessibility.onMessage(message);
          break;
        case 'screenshot':
          pendingScreenshots.get(message.purpose)?.({
            status: 'taken',
            png: message.png,
            undrawn: message.undrawn,
          });
          break;
        case 'screenshot-failed':
          pendingScreenshots.get(message.purpose)?.({ status: 'failed' });
          break;
        case 'tool-missing':
          if (message.tool === 'screenshot') failScreenshots();
          if (message.tool === 'devtools') devtools.onBlocked();
          if (message.tool === 'accessibility') {
            const reason =
              'Couldn’t run the accessibility checks. The page’s Content Security Policy may block them, or you may be offline.';
            accessibility.onMessage({ type: 'audit-failed', message: reason });
          }
          break;
        default:
          break;
      }
    },
    /** Handles a new document. */
    beginDocument(): void {
      failScreenshots();
      network.beginDocument();
      accessibility.beginDocument();
      devtools.beginDocument();
      for (const tool of emulationTools()) o.send({ tool, message: { type: 'emulate' } });
    },
    close(): void {
      network.close();
      devtools.close();
    },
  };
}
