import type { QuickFix } from '@vitrine/project';
import type { PermissionName } from '../permissions.ts';

/** An error or warning in the project's code, with its location. */
export type PreviewDiagnostic = SourceDiagnostic | MissingPackageDiagnostic | PermissionDiagnostic;

/** Lines and columns count from 1; 0 is unknown. */
interface DiagnosticLocation {
  message: string;
  path: string;
  line: number;
  column: number;
  stack: string;
  /** Left out for an error, which keeps something from running. */
  severity?: 'warning';
  /** Quick fixes, the most likely one first. */
  fixes?: readonly QuickFix[];
}

export interface SourceDiagnostic extends DiagnosticLocation {
  kind: 'syntax' | 'error' | 'rejection' | 'resource';
  /** An earlier version of the file, which compiled, runs instead. */
  runsEarlierVersion?: boolean;
  /** URL of a missing file, as the page requested it. */
  address?: string;
  /**
   * File that the diagnostic is about if it isn't the one at `path`: it lacks an export or failed to load.
   * '' if an unknown module has a syntax error.
   */
  module?: string;
  /** A dynamic import failed while online: the file or one of its imports is missing, or couldn't be built. */
  isFailedImport?: true;
}

/** An import of a package that isn't installed; one per package, at its first import. */
export interface MissingPackageDiagnostic extends DiagnosticLocation {
  kind: 'package';
  code: 'package_missing';
  /** Name as in `package.json`: "three", "@scope/name". */
  packageName: string;
}

/** A permission that the page asked for and that the user hasn't allowed for the project. */
export interface PermissionDiagnostic extends DiagnosticLocation {
  kind: 'permission';
  permission: PermissionName;
  /** Whether it works once the user allows it: not with the srcdoc transport. */
  canAllow: boolean;
}

/** The compiler's error for a file that doesn't parse. */
export function findSyntaxError(
  diagnostics: readonly PreviewDiagnostic[],
  path: string,
): PreviewDiagnostic | undefined {
  return diagnostics.find(
    (each) => each.kind === 'syntax' && each.severity === undefined && each.path === path,
  );
}
