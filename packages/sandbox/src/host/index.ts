export { mount, type MountOptions, type Preview } from './mount.ts';
export type { MissingPackage, PreviewEvent, PreviewState, Problem } from './preview-state.ts';
export type { ConsoleLine } from './console-log.ts';
export type { RunMode } from './run-mode.ts';
