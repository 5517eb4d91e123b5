/** Globals of the test app's page. */
import { toTextFiles, type AssetFile, type ProjectFile } from '@vitrine/project';
import {
  mount,
  type AccessibilityReport,
  type ConsoleLogEntry,
  type MountOptions,
  type NetworkLog,
  type Preview,
  type PreviewEvent,
  type PreviewDiagnostic,
  type PageLocation,
} from '../../src/host/index.ts';
import { mountTestRunner, type TestReport, type TestRunner } from '../../src/host/tests/index.ts';
import { detectPreviewHost, type PreviewHost } from '../../src/preview-host.ts';
import { showDraft } from './example.ts';

export interface StartOptions {
  files: Record<string, string>;
  /** Their bytes are those of the rig's `assets`. */
  assets?: Record<string, AssetFile>;
  key: string;
  served: { revision: number } | null;
  previewHost: string;
  /** Behaves like a browser without service workers. */
  isSrcdoc: boolean;
  /** User agent that the preview host is chosen by. Default: the browser's own. */
  userAgent?: string;
  /** Treats the srcdoc transport as one where a hang would freeze the app's page too. */
  sharesProcess?: boolean;
  /** URL that `requestAccess` fetches the access URL from. */
  enterFrom?: string;
  startWhenVisible?: boolean;
}

function start(o: StartOptions): void {
  const element = document.querySelector<HTMLElement>('#result');
  if (!element) throw new Error('the page has no element #result');
  const previewHost: PreviewHost = detectPreviewHost({
    appOrigin: location.origin,
    separateHost: o.previewHost,
    userAgent: o.userAgent ?? navigator.userAgent,
    isSecureContext,
    hasServiceWorker: 'serviceWorker' in navigator && !o.isSrcdoc,
  });
  if (previewHost.transport === 'srcdoc' && o.sharesProcess) previewHost.sharesProcess = true;
  const options: MountOptions = {
    element,
    title: 'Result',
    key: o.key,
    previewHost,
    files: new Map<string, ProjectFile>([
      ...toTextFiles(Object.entries(o.files)),
      ...Object.entries(o.assets ?? {}),
    ]),
    loadAsset,
    served: o.served,
  };
  const { enterFrom } = o;
  if (enterFrom)
    options.requestAccess = async (signal) => (await fetch(enterFrom, { signal })).text();
  if (o.startWhenVisible) options.startWhenVisible = true;
  Object.assign(seen, nothingSeen());
  const preview = mount(options);
  window.preview = preview;
  preview.on((event) => window.preview === preview && note(event));
}

async function loadAsset({ hash, mediaType }: AssetFile): Promise<Blob> {
  const response = await fetch(`/assets/${hash}`);
  if (!response.ok) throw new Error(`the server has no asset ${hash}`);
  return new Blob([await response.arrayBuffer()], { type: mediaType });
}

/** Mounts a saved project per slug, one below the other; each runs while it is in view. */
function startGallery(slugs: string[], files: Record<string, string>): void {
  const previewHost = detectPreviewHost({
    appOrigin: location.origin,
    userAgent: navigator.userAgent,
    isSecureContext,
    hasServiceWorker: 'serviceWorker' in navigator,
  });
  for (const slug of slugs) {
    const element = document.createElement('div');
    element.style.height = '100px';
    document.body.append(element);
    const preview = mount({
      element,
      title: slug,
      key: slug,
      previewHost,
      files: toTextFiles(Object.entries(files)),
      served: { revision: 1 },
      startWhenVisible: true,
    });
    window.gallery.set(slug, preview);
  }
}

/** Removes everything that a start and later calls added. */
function end(): void {
  tests?.close();
  window.preview?.close();
  clearInterval(gapTimer);
  for (const element of document.querySelectorAll('#result, #tests'))
    element.removeAttribute('style');
  scrollTo(0, 0);
}

function note(event: PreviewEvent): void {
  if (event.type === 'state')
    seen.states.push({ status: event.state.status, at: performance.now() });
  if (event.type === 'console')
    [seen.lines, seen.dropped, seen.document] = [event.lines, event.dropped, event.document];
  if (event.type === 'problem') seen.problems = event.problems;
  if (event.type === 'missing') seen.missing = event.line;
  if (event.type === 'address') seen.at = event.at;
  if (event.type === 'network') seen.network = event.log;
  if (event.type === 'accessibility') seen.accessibility = event.report;
}

/** Events of the preview so far. */
const seen = nothingSeen();

function nothingSeen() {
  return {
    states: [] as { status: string; at: number }[],
    lines: [] as readonly ConsoleLogEntry[],
    dropped: 0,
    document: 0,
    problems: [] as readonly PreviewDiagnostic[],
    missing: null as string | null,
    at: null as PageLocation | null,
    network: { requests: [], dropped: 0 } as NetworkLog,
    accessibility: { status: 'off' } as AccessibilityReport,
    report: null as TestReport | null,
    reports: 0,
    longestGapMs: 0,
  };
}

function replaceAsset(path: string, asset: AssetFile): void {
  window.preview?.update({ changed: new Map([[path, asset]]), removed: [] });
}

function edit(changes: Record<string, string>, removed: readonly string[] = []): void {
  window.preview?.update({ changed: toTextFiles(Object.entries(changes)), removed });
}

let gapTimer: ReturnType<typeof setInterval> | undefined;

/** Longest delay of a 5 ms timer since `measureGaps` was called, which shows how long this page was frozen. */
function measureGaps(): void {
  seen.longestGapMs = 0;
  let last = performance.now();
  clearInterval(gapTimer);
  gapTimer = setInterval(() => {
    const now = performance.now();
    seen.longestGapMs = Math.max(seen.longestGapMs, now - last);
    last = now;
  }, 5);
}

/** Runs the tests of the started project. */
function startTests(): void {
  const element = document.querySelector<HTMLElement>('#tests');
  const { preview } = window;
  if (!element || !preview) throw new Error('nothing has been started');
  tests = mountTestRunner(preview, {
    element,
    onReport(report) {
      if (window.preview !== preview) return;
      seen.report = report;
      seen.reports += 1;
    },
  });
  window.tests = tests;
}
// Not read from `window`: until the global is set, an element has that name there.
let tests: TestRunner | undefined;

const page = {
  start,
  end,
  edit,
  replaceAsset,
  seen,
  measureGaps,
  startTests,
  startGallery,
  showDraft,
};

declare global {
  interface Window {
    rig: typeof page;
    preview: Preview | undefined;
    /** By slug, in page order. */
    gallery: Map<string, Preview>;
    tests: TestRunner;
  }
}
window.rig = page;
window.gallery = new Map();
