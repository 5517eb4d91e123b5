/** A command of `vitrine`, and its help. */
export interface Command {
  /** One line of the list of commands. */
  readonly summary: string;
  /** What the command does. */
  readonly description: string;
  /** Environment variables that it reads. */
  readonly variables: readonly (keyof typeof variables)[];
  readonly example: string;
  /**
   * What runs, by the form of the arguments. A word in capitals stands for any value; it is the
   * last word, and `''` is passed if there is none.
   */
  readonly forms: Readonly<Record<string, (value: string) => Promise<void>>>;
}

export const variables = {
  DATA_DIR: 'Data folder of the instance (default: ./data)',
  DATABASE_URL: 'PostgreSQL connection string (default: embedded)',
  SUPABASE_URL: 'URL of the hosted project',
  SUPABASE_PUBLISHABLE_KEY: 'Publishable key of the hosted project',
  SUPABASE_SECRET_KEY: 'Secret key of the hosted project',
  HOSTED_URL: 'Its connection string, to compare migrations',
  TARBALL_HOSTS: 'Hosts besides the registries that packages may come from',
} as const;

/** The commands, by name. Their code is loaded when they run, which keeps the help fast. */
export const commands: Readonly<Record<string, Command>> = {
  backup: {
    summary: 'Back up the database, stored files and secrets',
    description:
      'Creates the new folder FOLDER with a backup. Vitrine can keep running. The backup contains the secrets of the instance, so protect it like those.',
    variables: ['DATA_DIR', 'DATABASE_URL'],
    example: 'vitrine backup /somewhere/vitrine-today',
    forms: { FOLDER: async (folder) => (await import('./backup/command.ts')).backUp(folder) },
  },
  restore: {
    summary: 'Create an instance from a backup',
    description:
      'Restores the backup in FOLDER. Stop Vitrine first, and move its data folder away: nothing is overwritten.',
    variables: ['DATA_DIR', 'DATABASE_URL'],
    example: 'vitrine restore /somewhere/vitrine-today',
    forms: { FOLDER: async (folder) => (await import('./backup/command.ts')).restore(folder) },
  },
  move: {
    summary: 'Move the instance to a hosted Supabase project',
    description:
      'export creates the new folder FOLDER with all accounts, rows and files. upload sends the files in FOLDER to the hosted project. docs/operations.md has all steps.',
    variables: ['DATA_DIR', 'DATABASE_URL', 'SUPABASE_URL', 'SUPABASE_SECRET_KEY'],
    example: 'vitrine move export moving',
    forms: {
      'export FOLDER': async (folder) =>
        (await import('./move/command.ts')).exportInstanceData(folder),
      'upload FOLDER': async (folder) => (await import('./move/command.ts')).uploadFrom(folder),
    },
  },
  'check-hosted': {
    summary: 'Check a hosted Supabase project',
    description:
      'Checks the project as the app, a stranger and a visitor. Creates two users and a private project, and deletes them in the end. Exits with 1 if a check fails.',
    variables: ['SUPABASE_URL', 'SUPABASE_PUBLISHABLE_KEY', 'SUPABASE_SECRET_KEY', 'HOSTED_URL'],
    example: `SUPABASE_URL=https://REF.supabase.co SUPABASE_PUBLISHABLE_KEY=… \\
    SUPABASE_SECRET_KEY=… vitrine check-hosted`,
    forms: { '': async () => (await import('./hosted/command.ts')).checkHosted() },
  },
  functions: {
    summary: 'Install Deno for edge functions, and download their imports',
    description:
      'install installs Deno (about 90 MB) into .cache. fetch downloads the imports of supabase/functions, so that the functions run offline.',
    variables: ['DATA_DIR'],
    example: 'vitrine functions install',
    forms: {
      install: async () => (await import('./functions.ts')).installDeno(),
      fetch: async () => (await import('./functions.ts')).fetchImports(),
    },
  },
  packages: {
    summary: 'Fill the package store, or copy it to another machine',
    description:
      'fill fetches and builds the packages in the file LIST, one per line (three@0.187). export writes the store to the archive FILE. import adds its contents to the store of another instance. Vitrine can keep running.',
    variables: ['DATA_DIR', 'TARBALL_HOSTS'],
    example: 'vitrine packages fill packages.txt',
    forms: {
      'fill LIST': async (list) => (await import('./packages.ts')).fillStore(list),
      'export FILE': async (file) => (await import('./packages.ts')).exportTo(file),
      'import FILE': async (file) => (await import('./packages.ts')).importFrom(file),
    },
  },
  templates: {
    summary: 'Choose the templates that everyone finds on /new',
    description:
      'add offers a public project to everyone as a template, with its owner’s name. PROJECT is its URL, or the last part of it. remove takes it off the list; the project stays. list shows all of them. Vitrine can keep running.',
    variables: ['DATA_DIR', 'DATABASE_URL'],
    example: 'vitrine templates add https://vitrine.example/@ann/k3v9x2m4q8w1z7t5',
    forms: {
      'add PROJECT': async (project) => (await import('./templates.ts')).addTemplate(project),
      'remove PROJECT': async (project) => (await import('./templates.ts')).removeTemplate(project),
      list: async () => (await import('./templates.ts')).listTemplates(),
    },
  },
  'rotate-key': {
    summary: 'Create a new key for signing access tokens',
    description:
      'Creates a key that is used from the next start on. Nobody is signed out: the previous key stays valid for a week.',
    variables: ['DATA_DIR'],
    example: 'vitrine rotate-key',
    forms: { '': async () => (await import('./rotate-key.ts')).rotateKey() },
  },
  'end-sessions': {
    summary: 'Sign everyone out',
    description:
      'Ends all sessions, and invalidates all emailed links and codes. Vitrine can keep running.',
    variables: ['DATA_DIR', 'DATABASE_URL'],
    example: 'vitrine end-sessions',
    forms: { '': async () => (await import('./end-sessions.ts')).signEveryoneOut() },
  },
};
