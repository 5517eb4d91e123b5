import type { FormatTarget } from '@vitrine/editor/format';
import type { SourceLocation } from '@vitrine/sandbox/host';
import type { PermissionName } from '@vitrine/sandbox/permissions';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import type { PreferencesStore } from '../../preferences/preferences-store.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import { ProjectProblems } from '../problems/project-problems.ts';
import type { WorkspaceSession } from '../session.ts';
import type { FileOperations } from '../tree/file-operations.ts';
import { ProjectFormat } from './project-format.ts';
import { ProjectLanguage } from './project-language.ts';
import { ProjectLint } from './project-lint.ts';

interface CodeIntelligenceOptions {
  readonly session: WorkspaceSession;
  readonly fileOperations: FileOperations;
  readonly packages: ProjectPackages;
  readonly preview: PreviewController;
  readonly preferences: PreferencesStore;
  /** Asks the user whether the project may have a permission. */
  readonly requestPermission: (name: PermissionName) => void;
  readonly goTo: (location: SourceLocation) => void;
  readonly goToDeclaration: (location: SourceLocation) => void;
  /** Path of the file in the active tab. */
  readonly activePath: () => string | undefined;
}

/** Language services, linting, formatting and the problems of a project's code. */
export class CodeIntelligence {
  readonly language: ProjectLanguage;
  readonly lint: ProjectLint;
  readonly problems: ProjectProblems;
  readonly #format: ProjectFormat;
  readonly #options: CodeIntelligenceOptions;

  constructor(options: CodeIntelligenceOptions) {
    this.#options = options;
    const { session, fileOperations, packages, preview, preferences, goTo, goToDeclaration } =
      options;
    const files = {
      files: session.files,
      write: fileOperations.writeEdits.bind(fileOperations),
    };
    this.language = new ProjectLanguage({
      ...files,
      packagesRegistered: () => packages.register(session.files()),
      goTo,
      goToDeclaration,
    });
    this.lint = new ProjectLint({
      ...files,
      languageStarted: () => this.language.whenStarted,
      styleProblems: (path) => this.language.styleProblems(path),
    });
    this.#format = new ProjectFormat(files);
    this.problems = new ProjectProblems({
      result: preview,
      packages,
      language: this.language,
      lint: this.lint,
      files: session.files,
      edit: (path, content) => session.opened?.text.edit(path, content),
      write: (path, content) => {
        if (fileOperations.write(path, content) === 'new')
          goTo({ path: path.normalize('NFC'), line: 1, column: 1 });
      },
      requestPermission: options.requestPermission,
      goTo,
      addsPackages: () => preferences.current.get().addsPackages,
    });
  }

  /** Starts the services of a file that is shown in an editor. */
  onFileShown(path: string): void {
    this.language.onFileShown(path);
    this.lint.onFileShown(path);
  }

  /** Formats a file, by default the active one. Rejects with a `VitrineError`. */
  async format(target?: FormatTarget): Promise<void> {
    const { session, activePath } = this.#options;
    const path = target?.path ?? activePath();
    if (session.opened && path !== undefined) await this.#format.format(target ?? { path });
  }

  /**
   * Formats the active file if format on save is on. A file with a syntax error is saved as it is.
   */
  async formatBeforeSave(): Promise<void> {
    if (this.#options.preferences.current.get().formatsOnSave)
      await this.format().catch(() => undefined);
  }

  close(): void {
    this.language.close();
    this.lint.close();
    this.#format.close();
  }
}
