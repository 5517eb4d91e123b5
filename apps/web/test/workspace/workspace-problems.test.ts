import { VitrineError, type QuickFixEdit } from '@vitrine/project';
import type { LintDiagnostic } from '@vitrine/editor/lint-client';
import type { PackageRequest } from '@vitrine/esm/messages';
import { describe, expect, test } from 'vitest';
import { CdnImportScanner } from '../../app/packages/cdn-import-scanner.ts';
import { DiagnosticsRunner } from '../../app/workspace/problems/diagnostics-runner.ts';
import { listProblems, type ProblemSources } from '../../app/workspace/problems/list-problems.ts';
import {
  isAboutPage,
  severityOf,
  type ListedProblem,
} from '../../app/workspace/problems/problems.ts';

const none: ProblemSources = {
  preview: [],
  manifest: null,
  work: { status: 'idle' },
  packages: [],
  isWaiting: false,
  failures: new Map(),
  notices: [],
  typescript: [],
  lint: [],
  pageNames: new Set(),
};

function list(troubles: Partial<ProblemSources>) {
  const added: (readonly PackageRequest[])[] = [];
  const imported: string[] = [];
  const fixed: QuickFixEdit[] = [];
  const requested: string[] = [];
  const problems = listProblems(
    { ...none, ...troubles },
    {
      addPackages: (wanted) => added.push(wanted),
      importByName: ({ path }) => imported.push(path),
      applyFix: (edit) => fixed.push(edit),
      requestPermission: (name) => requested.push(name),
    },
  );
  return { problems, added, imported, fixed, requested };
}

describe('the list of problems', () => {
  test('offers to allow a refused permission, where the page can have it', () => {
    const refused = {
      kind: 'permission' as const,
      permission: 'camera' as const,
      message: 'The page tried to use the camera.',
      path: 'script.js',
      line: 1,
      column: 1,
      stack: '',
    };
    const { problems, requested } = list({ preview: [{ ...refused, canAllow: true }] });
    expect(problems[0]?.quickFixes?.map(({ label }) => label)).toEqual([
      'Allow camera for this project',
    ]);
    problems[0]?.quickFixes?.[0]?.run();
    expect(requested).toEqual(['camera']);
    expect(list({ preview: [{ ...refused, canAllow: false }] }).problems[0]?.quickFixes).toEqual(
      [],
    );
  });

  test('offers to install a missing package', () => {
    const location = { path: 'main.ts', line: 3, column: 8, stack: '' };
    const { problems, added } = list({
      preview: [
        {
          kind: 'package',
          code: 'package_missing',
          packageName: '@scope/x',
          message: '“@scope/x” isn’t installed.',
          ...location,
        },
        { kind: 'error', message: 'Oh.', ...location },
      ],
    });
    expect(problems.map(({ quickFixes }) => quickFixes?.[0]?.label)).toEqual([
      'Install @scope/x',
      undefined,
    ]);
    problems[0]?.quickFixes?.[0]?.run();
    expect(added).toEqual([[{ name: '@scope/x' }]]);
  });

  test('reports a package that is being installed, without a quick fix', () => {
    const missing = {
      kind: 'package',
      code: 'package_missing',
      packageName: 'react',
      message: '“react” isn’t installed.',
      path: 'main.tsx',
      line: 1,
      column: 8,
      stack: '',
    } as const;
    const told = (more: Partial<ProblemSources>) =>
      list({ preview: [missing], ...more }).problems.map((each) => [
        each.message,
        severityOf(each),
        each.quickFixes?.length ?? 0,
      ]);
    const item = { license: undefined, deprecated: undefined };
    const listed = { ...item, name: 'react', range: '^19.0.0', version: undefined };
    const resolving = [['Installing react…', 'info', 0]];
    expect(told({ work: { status: 'working', message: 'Adding react…' } })).toEqual(resolving);
    expect(told({ packages: [listed], isWaiting: true })).toEqual(resolving);
    expect(told({ packages: [{ ...listed, version: '19.0.0' }] })).toEqual(resolving);
    const absent = [[missing.message, 'error', 1]];
    expect(told({})).toEqual(absent);
    expect(told({ isWaiting: true })).toEqual(absent);
    expect(told({ packages: [listed] })).toEqual(absent);
  });

  test('has no type errors while versions are resolved, which brings the declarations', () => {
    const place = {
      path: 'main.tsx',
      line: 1,
      column: 8,
      endLine: 1,
      endColumn: 9,
      from: 7,
      to: 8,
    };
    const found = (kind: 'type' | 'syntax') =>
      ({ kind, message: `A ${kind} error.`, severity: 'error', code: 2307, ...place }) as const;
    const typescript = [found('type'), found('syntax')];
    const item = { license: undefined, deprecated: undefined, name: 'react', range: '^19.0.0' };
    const told = (more: Partial<ProblemSources>) =>
      list({ typescript, ...more }).problems.map(({ kind }) => kind);
    const packages = [{ ...item, version: undefined }];
    expect(told({ packages, isWaiting: true })).toEqual(['syntax']);
    expect(told({ packages, work: { status: 'working', message: 'Resolving…' } })).toEqual([
      'syntax',
    ]);
    expect(told({ packages })).toEqual(['syntax', 'type']);
    expect(told({ packages: [{ ...item, version: '19.0.0' }], isWaiting: true })).toEqual([
      'syntax',
      'type',
    ]);
  });

  test('offers each quick fix of a problem, and distinguishes warnings from errors', () => {
    const location = { path: 'main.js', line: 1, column: 9, stack: '' };
    const edit = { type: 'create', path: 'flock.js', text: '' } as const;
    const fixes = [{ label: 'Create flock.js', edit }];
    const { problems, fixed } = list({
      preview: [
        { kind: 'resource', message: 'Gone.', fixes, ...location },
        { kind: 'resource', message: 'No picture.', severity: 'warning', ...location },
      ],
    });
    expect(problems.map(severityOf)).toEqual(['error', 'warning']);
    for (const remedy of problems[0]?.quickFixes ?? []) remedy.run();
    expect(fixed).toEqual([edit]);
  });

  test('reports failed installs at package.json, but not those of the Packages panel', () => {
    const failed = { status: 'failed', code: 'package_not_found', details: undefined } as const;
    const { problems } = list({ work: { ...failed, isFromManifest: true } });
    expect(problems).toMatchObject([{ path: 'package.json', line: 1 }]);
    expect(list({ work: { ...failed, isFromManifest: false } }).problems).toEqual([]);
  });

  test('reports once what the compiler, the page and TypeScript report at one location', () => {
    const at = (line: number, column: number) => ({ path: 'a.ts', line, column });
    const typed = (kind: 'syntax' | 'type', line: number, column: number) => ({
      ...at(line, column),
      kind,
      from: 0,
      to: 1,
      endLine: line,
      endColumn: column + 1,
      code: 1,
      message: `${kind} ${line}`,
      severity: 'error' as const,
    });
    const { problems } = list({
      preview: [
        { kind: 'syntax', message: 'A bracket is missing.', stack: '', ...at(9, 1) },
        { kind: 'error', message: '“x” is not defined.', stack: '', ...at(2, 5) },
        { kind: 'error', message: '“a.trimm” is not a function.', stack: '', ...at(3, 2) },
        { kind: 'resource', message: 'There is no ./b.', stack: '', ...at(1, 1) },
      ],
      typescript: [
        typed('syntax', 8, 3),
        typed('type', 2, 5),
        { ...typed('type', 3, 4), message: "Property 'trimm' does not exist on type 'string'." },
        typed('type', 1, 20),
        typed('type', 4, 1),
      ],
    });
    const ofTypes = problems.filter(({ kind }) => kind === 'type');
    expect(ofTypes).toMatchObject([{ message: 'type 4', endLine: 4, endColumn: 2 }]);
  });

  test('sorts each file from top to bottom, errors first', () => {
    const at = (path: string, line: number, column = 1) => ({ path, line, column, stack: '' });
    const { problems } = list({
      preview: [
        { kind: 'error', message: 'b 9', ...at('b.js', 9) },
        { kind: 'resource', message: 'a 7', severity: 'warning', ...at('a.js', 7) },
        { kind: 'error', message: 'a 4', ...at('a.js', 4) },
        { kind: 'error', message: 'b 2, 8', ...at('b.js', 2, 8) },
        { kind: 'error', message: 'b 2', ...at('b.js', 2) },
        { kind: 'resource', message: 'a 1', severity: 'warning', ...at('a.js', 1) },
      ],
    });
    expect(problems.map(({ message }) => message)).toEqual([
      'b 2',
      'b 2, 8',
      'b 9',
      'a 4',
      'a 1',
      'a 7',
    ]);
  });

  test('keeps lint problems on a line that imports a missing file', () => {
    const location = { path: 'style.css', line: 1 };
    const unknown = { kind: 'rule', rule: 'css/no-invalid-properties', ...location } as const;
    const { problems } = list({
      preview: [
        {
          kind: 'resource',
          message: 'No a.png.',
          severity: 'warning',
          ...location,
          column: 30,
          stack: '',
        },
      ],
      lint: [
        {
          ...unknown,
          message: 'No colr.',
          column: 8,
          from: 7,
          to: 11,
          endLine: 1,
          endColumn: 12,
          severity: 'warning',
        },
      ],
    });
    expect(problems.map(({ message }) => message)).toEqual(['No colr.', 'No a.png.']);
  });

  test('drops lint problems that are already reported at the same location', () => {
    const at = (line: number, column: number) => ({ path: 'a.js', line, column });
    const rule = (line: number, column: number, message = `rule ${line}`): LintDiagnostic => ({
      kind: 'rule',
      rule: 'no-undef',
      message,
      ...at(line, column),
      from: 0,
      to: 1,
      endLine: line,
      endColumn: column + 1,
      severity: 'warning',
    });
    const { problems } = list({
      preview: [{ kind: 'error', message: '“cat” is not defined.', stack: '', ...at(1, 1) }],
      typescript: [
        { ...rule(2, 4), kind: 'type', code: 6133, message: "'b' is declared but never read." },
      ],
      lint: [rule(1, 20, '“cat” is not defined.'), rule(2, 3), rule(2, 9), rule(3, 1)],
    });
    const ofRules = problems.filter(
      (problem) => problem.rule !== undefined && problem.kind === 'rule',
    );
    expect(ofRules.map(({ message, rule: name }) => [message, name])).toEqual([
      ['rule 2', 'no-undef'],
      ['rule 3', 'no-undef'],
    ]);
    expect(ofRules.map(severityOf)).toEqual(['warning', 'warning']);
  });

  test('drops undefined names that the running page defines', () => {
    const rule = (name: string): LintDiagnostic => ({
      kind: 'rule',
      rule: 'no-undef',
      message: `“${name}” is not defined.`,
      path: 'a.js',
      line: 1,
      column: 1,
      endLine: 1,
      endColumn: 2,
      from: 0,
      to: 1,
      severity: 'warning',
    });
    const { problems } = list({
      lint: [rule('createCanvas'), rule('creatCanvas')],
      pageNames: new Set(['createCanvas']),
    });
    expect(problems.map(({ message }) => message)).toEqual(['“creatCanvas” is not defined.']);
  });

  test('names a package that failed to build', () => {
    const failures = new Map([['fsx', new VitrineError('package_node_only')]]);
    const [problem] = list({ failures }).problems;
    expect(problem?.message).toMatch(/^fsx: .*browser/);
    expect(problem && severityOf(problem)).toBe('error');
  });

  test('lists a package that failed to build after the errors of files', () => {
    const failures = new Map([['fsx', new VitrineError('package_node_only')]]);
    const location = { path: 'index.html', line: 3, column: 1, stack: '' };
    const missing = { kind: 'resource', message: 'Can’t find “index.js”.', ...location } as const;
    const { problems } = list({ failures, preview: [missing] });
    expect(problems.map(({ path }) => path)).toEqual(['index.html', 'package.json']);
  });

  test('lists notices last, with a button that installs the package', () => {
    const finder = new CdnImportScanner();
    const files = new Map([
      ['index.html', '<script src="https://unpkg.com/jquery@3/dist/jquery.js"></script>'],
      ['script.js', "import { html } from 'https://esm.sh/lit@3';"],
    ]);
    const { problems, added, imported } = list({
      notices: finder.scan(files),
      manifest: { message: 'It does not read.', line: 2, column: 1 },
    });
    expect(problems.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'syntax package.json',
      'notice index.html',
      'notice script.js',
    ]);
    for (const { quickFixes } of problems) quickFixes?.[0]?.run();
    expect(added).toEqual([[{ name: 'jquery', range: '3' }]]);
    expect(imported).toEqual(['script.js']);
  });
});

test('notices follow the files, and unchanged files are not scanned again', () => {
  const finder = new CdnImportScanner();
  const text = "import 'https://esm.sh/lit';";
  const [before] = finder.scan(new Map([['a.js', text]]));
  const [after] = finder.scan(
    new Map([
      ['a.js', text],
      ['b.js', ''],
    ]),
  );
  expect(after).toBe(before);
  expect(finder.scan(new Map([['b.js', text]])).map(({ path }) => path)).toEqual(['b.js']);
  expect(finder.scan(new Map())).toEqual([]);
});

const problem = (more: Partial<ListedProblem>): ListedProblem => ({
  kind: 'syntax',
  path: 'a.js',
  line: 1,
  column: 1,
  message: 'No.',
  ...more,
});

test('errors in test files, lint findings and types are not about the page', () => {
  const isAbout = [
    problem({}),
    problem({ kind: 'resource', path: 'src/a.test.js' }),
    problem({ path: 'a.spec.tsx' }),
    problem({ kind: 'rule' }),
    problem({ kind: 'type' }),
  ].map(isAboutPage);
  expect(isAbout).toEqual([true, false, false, false, false]);
});

describe('a check of all files', () => {
  const problemOf = (path: string, text: string) => ({
    path,
    message: text,
    from: 0,
    to: text.length,
    line: 1,
    column: 1,
    endLine: 1,
    endColumn: text.length + 1,
  });

  test('checks edited files first and shows their diagnostics while it goes on', async () => {
    let files = new Map([
      ['a.js', 'one'],
      ['b.js', 'two'],
      ['c.js', 'three'],
    ]);
    const checked: string[] = [];
    const shown: string[][] = [];
    const runner = new DiagnosticsRunner({
      files: () => files,
      includes: () => true,
      check: (path) => {
        checked.push(path);
        shown.push(runner.diagnostics.get().map(({ message }) => message));
        return Promise.resolve([problemOf(path, files.get(path) ?? '')]);
      },
    });
    await runner.run();
    expect(checked).toEqual(['a.js', 'b.js', 'c.js']);
    files = new Map([...files, ['c.js', 'edited']]);
    [checked.length, shown.length] = [0, 0];
    await runner.run();
    expect(checked).toEqual(['c.js', 'a.js', 'b.js']);
    expect(shown[1]).toEqual(['edited', 'one', 'two']);
    expect(runner.diagnostics.get().map(({ message }) => message)).toEqual([
      'one',
      'two',
      'edited',
    ]);
    runner.close();
  });
});
