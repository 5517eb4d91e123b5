import { getPosition } from '@vitrine/compiler';
import type {
  AccessibilityMessage,
  AccessibilityIssue,
  IssueElement,
  ToAccessibility,
} from '../accessibility-messages.ts';
import type { SourceLocation } from '../protocol.ts';
import { findElement } from './find-element.ts';
import type { CompileQueue } from './compile-queue.ts';
import type { ModuleStore } from './module-store.ts';

/** Progress and results of the accessibility checks. */
export type AccessibilityReport =
  /** Nothing is being checked. */
  | { status: 'off' }
  | { status: 'checking'; previous: AccessibilityResults | null }
  | ({ status: 'checked' } & AccessibilityResults)
  | { status: 'failed'; message: string };

interface AccessibilityResults {
  checks: number;
  findings: readonly LocatedIssue[];
}

export interface LocatedIssue extends Omit<AccessibilityIssue, 'elements'> {
  elements: readonly LocatedElement[];
}

/** An element with its location in the project's files; '' and 0 if unknown. */
export interface LocatedElement extends SourceLocation {
  id: number;
  markup: string;
}

export interface Accessibility {
  /** Starts checking the page, now and after each change, or stops. */
  watch(isOn: boolean): void;
  /** Highlights an element of the latest findings; null removes the highlight. */
  outline(element: number | null): void;
}

interface AccessibilityOptions {
  compileQueue: CompileQueue;
  moduleStore: ModuleStore;
  /** Path of the document shown; null if it isn't a page of the project. */
  page(): string | null;
  onChange(report: AccessibilityReport): void;
  send(message: ToAccessibility): void;
}

export function createAccessibility(o: AccessibilityOptions) {
  let isWatching = false;
  let last: AccessibilityResults | null = null;

  const locate = ({ id, markup, ...element }: IssueElement): LocatedElement => ({
    id,
    markup,
    ...locateElement({ id, markup, ...element }),
  });
  /** Locates an element: exactly where a framework reports it, otherwise by searching the page's HTML. */
  const locateElement = (element: IssueElement): SourceLocation => {
    if (element.made.path !== '') return o.compileQueue.mapLocation(element.made);
    const path = o.page() ?? '';
    const text = o.moduleStore.read(path);
    const index = text === undefined ? undefined : findElement(text, element);
    if (text === undefined || index === undefined) return { path: '', line: 0, column: 0 };
    return { path, ...getPosition(text, index) };
  };

  return {
    watch(isOn: boolean): void {
      if (isOn === isWatching) return;
      isWatching = isOn;
      o.send({ type: isOn ? 'watch' : 'rest' });
      o.onChange(isOn ? { status: 'checking', previous: last } : { status: 'off' });
    },
    outline: (element: number | null) => o.send({ type: 'outline', element }),
    onMessage(message: AccessibilityMessage): void {
      if (!isWatching) return;
      switch (message.type) {
        case 'audit-started':
          o.onChange({ status: 'checking', previous: last });
          break;
        case 'findings':
          last = {
            checks: message.checks,
            findings: message.findings.map((finding) => ({
              ...finding,
              elements: finding.elements.map(locate),
            })),
          };
          o.onChange({ status: 'checked', ...last });
          break;
        case 'audit-failed':
          o.onChange({ status: 'failed', message: message.message });
          break;
      }
    },
    /** Handles a new document. */
    beginDocument(): void {
      if (isWatching) o.send({ type: 'watch' });
    },
  };
}
