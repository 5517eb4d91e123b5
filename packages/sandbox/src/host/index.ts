export { mount, type MountOptions, type Preview } from './mount.ts';
export type {
  MissingPackageDiagnostic,
  PermissionDiagnostic,
  PreviewDiagnostic,
} from './diagnostics.ts';
export type { PageLocation, PreviewEvent, PreviewState } from './preview-state.ts';
export type { AccessibilityReport, LocatedElement, LocatedIssue } from './accessibility.ts';
export type { DevtoolsState, DevtoolsFrontEnd } from './devtools.ts';
export type { NetworkLog } from './network.ts';
export type { Screenshot } from './inspection.ts';
export type { ConsoleLogEntry } from './console-log.ts';
export type { ObjectQueryResponse, ObjectQuery, PreviewConsole } from './preview-console.ts';
export type {
  ConsoleMember,
  ConsoleObject,
  ConsoleStyle,
  ConsoleValue,
} from '../console-values.ts';
export type { RunMode } from './run-scheduler.ts';
export type { Impact } from '../accessibility-messages.ts';
export type { RecordedBody, RequestDetails, NetworkRequest } from '../network-messages.ts';
export type { SourceLocation } from '../protocol.ts';
