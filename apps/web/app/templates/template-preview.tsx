import {
  describeError,
  isErrorCode,
  isRecord,
  parseAsset,
  VitrineError,
  type ProjectFiles,
} from '@vitrine/project';
import { useEffect, useRef, useState } from 'react';
import { createAssetLoader } from '../assets/asset-loader.ts';
import { createPackageApi } from '../packages/package-api.ts';
import { lockfilePath } from '../packages/project-manifest.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { useViewer } from '../session/viewer.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { choosePagePreviewHost } from '../workspace/preview/page-preview-host.ts';
import { PreviewController } from '../workspace/preview/preview-controller.ts';
import { PreviewStatusCard } from '../workspace/preview/preview-overlay.tsx';
import { toProjectFiles } from '../workspace/project-files.ts';
import { useStore } from '../workspace/value-store.ts';
import { TemplateMark } from './template-item.tsx';
import styles from './template-preview.module.css';
import type { Template } from './template.ts';

/** What the preview needs of a template. */
interface LoadedTemplate {
  readonly files: ProjectFiles;
  /** Id of the project that has the assets. Null for a built-in template. */
  readonly project: string | null;
}

interface TemplatePreviewProps {
  template: Template;
  onOpen: () => void;
}

/** A template as it runs, with its files and the button that opens it. It starts once it's visible. */
export function TemplatePreview({ template, onOpen }: TemplatePreviewProps) {
  const { path, title, description, author, needsRegistry } = template;
  const frame = useRef<HTMLDivElement>(null);
  const isVisible = useVisible(frame);
  return (
    <div className={styles.preview}>
      <div ref={frame} className={styles.stage}>
        {/* Shown until the preview covers it. */}
        <TemplateMark template={template} size="large" />
        {isVisible && <LivePreview key={path} template={template} />}
      </div>
      <div className={styles.foot}>
        <div className={styles.text}>
          <p className={styles.title}>
            <bdi>{title}</bdi>
          </p>
          <p className={styles.note}>
            {description}
            {author !== null && ` By ${author}.`}
            {needsRegistry &&
              ' Its packages aren’t bundled with this instance, so they’ll be downloaded from the registry.'}
          </p>
        </div>
        <Button variant="primary" onClick={onOpen}>
          Use template
        </Button>
      </div>
    </div>
  );
}

function LivePreview({ template }: { template: Template }) {
  const { path } = template;
  const { value, failure, retry } = useLoaded(path, () => loadTemplate(path));
  if (failure) {
    return (
      <div className={styles.failure}>
        <ErrorNotice code={failure}>
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        </ErrorNotice>
      </div>
    );
  }
  return value && <RunningTemplate template={template} loaded={value} />;
}

interface RunningTemplateProps {
  template: Template;
  loaded: LoadedTemplate;
}

function RunningTemplate({ template, loaded }: RunningTemplateProps) {
  const { path, title, needsRegistry } = template;
  const [preview] = useState(() => new PreviewController());
  const element = useRef<HTMLDivElement>(null);
  const page = usePageSettings();
  const userId = useViewer()?.id ?? null;
  const hasRun = useStore(preview.location) !== null;
  const problem = useStore(preview.problems).find(({ severity }) => severity === undefined);
  useEffect(() => {
    if (!element.current) return;
    const controller = new AbortController();
    const { files, project } = loaded;
    void preview.show(
      element.current,
      {
        // Files come from the page, like a draft's.
        key: `draft--new${path.replaceAll(/[^a-z0-9]/g, '')}`.slice(0, maxKeyLength),
        title: `Result of ${title}`,
        previewHost: choosePagePreviewHost(page),
        files,
        served: null,
        ...(project !== null && {
          loadAsset: createAssetLoader({ page, userId, files, project }),
        }),
      },
      controller.signal,
    );
    return () => {
      controller.abort();
      preview.close();
    };
  }, [preview, path, title, loaded, page, userId]);
  return (
    <>
      <div ref={element} className={styles.frame} data-running={hasRun || undefined} />
      <PreviewStatusCard preview={preview} />
      {problem && (
        <p className={styles.problem}>
          {needsRegistry ? describeError('registry_unreachable').message : problem.message}
        </p>
      )}
    </>
  );
}

/** Longest name of a preview host below the app's. */
const maxKeyLength = 62;

/** Whether an element is in the viewport. */
function useVisible(element: React.RefObject<HTMLElement | null>): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver((entries) =>
      setVisible(entries.at(-1)?.isIntersecting === true),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isVisible;
}

/** Loads the files of a template. Rejects with a `VitrineError`, among others `server_unreachable`. */
async function loadTemplate(path: string): Promise<LoadedTemplate> {
  let response: Response;
  try {
    response = await fetch(`/new/${path}/files`);
  } catch (error) {
    throw new VitrineError('server_unreachable', path, { cause: error });
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!isRecord(body) || !response.ok) {
    const code = isRecord(body) ? body.code : undefined;
    throw new VitrineError(isErrorCode(code) ? code : 'unexpected', path);
  }
  const texts = parsePairs(body.files, (value) => (typeof value === 'string' ? value : undefined));
  const lockfile = new Map(texts).get(lockfilePath);
  // The package server serves only the packages of registered lockfiles.
  if (lockfile !== undefined) await createPackageApi().register(lockfile);
  return {
    files: toProjectFiles(texts, parsePairs(body.assets, parseAsset)),
    project: typeof body.project === 'string' ? body.project : null,
  };
}

/** Parses `[[path, value], …]`. Skips invalid ones. */
function parsePairs<T>(value: unknown, parse: (value: unknown) => T | undefined): [string, T][] {
  return (Array.isArray(value) ? value : []).flatMap((pair: unknown): [string, T][] => {
    const [path, content]: unknown[] = Array.isArray(pair) ? pair : [];
    const parsed = parse(content);
    return typeof path === 'string' && parsed !== undefined ? [[path, parsed]] : [];
  });
}
