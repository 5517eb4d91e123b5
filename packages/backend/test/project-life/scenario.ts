import { createHash, randomUUID } from 'node:crypto';
import {
  createDocumentFromFiles,
  createFile,
  getAssetObjectName,
  isSameFile,
  listFiles,
  listTextFiles,
  parseAssetRows,
  removeFile,
  renameFile,
  replaceFile,
  toTextFiles,
  type AssetFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { appOrigin, openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { expect } from 'vitest';
import * as Y from 'yjs';
import { Device, replaceAll, toRow, type SaveResult } from './device.ts';
import {
  getOther,
  ObjectModel,
  ProjectModel,
  type InvitationKind,
  type Reader,
  type Role,
  type User,
} from './model.ts';
import type { Step } from './steps.ts';

/** A backend with two users, `ada` and `ben`. */
export interface Instance {
  readonly test: TestBackend;
  readonly ids: readonly [string, string];
  readonly clients: readonly [SupabaseClient, SupabaseClient];
  readonly visitor: SupabaseClient;
  /** Bypasses row-level security, as the server's hourly jobs do. */
  readonly service: SupabaseClient;
}

const names = ['ada', 'ben'] as const;
const getEmail = (user: User) => `${names[user]}@example.com`;

export async function openInstance(): Promise<Instance> {
  const test = await openTestBackend();
  const { backend } = test;
  /** Repeats requests that a loaded machine canceled: statements have limits of a second or more. */
  const fetchWithRetry = async (createRequest: () => Request, retries = 4): Promise<Response> => {
    const response = await backend.fetch(createRequest());
    if (retries === 0 || ![503, 504].includes(response.status)) return response;
    return fetchWithRetry(createRequest, retries - 1);
  };
  const connect = (key: string) =>
    createClient(appOrigin, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      // Without an address, which would have a limit of requests.
      global: { fetch: (input, init) => fetchWithRetry(() => new Request(input, init)) },
    });
  const open = async (user: User) => {
    const signedUp = await signUpConfirmed(test, getEmail(user));
    const { session } = (await signedUp.client.auth.getSession()).data;
    if (!session) throw new Error(`${getEmail(user)} has no session`);
    const client = connect(backend.publishableKey);
    await client.auth.setSession(session);
    return { client, id: session.user.id };
  };
  const [ada, ben] = [await open(0), await open(1)];
  return {
    test,
    ids: [ada.id, ben.id],
    clients: [ada.client, ben.client],
    visitor: connect(backend.publishableKey),
    service: connect(backend.secretKey),
  };
}

/** Bytes of the assets; equal ones of two users are two objects. */
const assetBytes = ['one', 'two', 'three'].map((text) => `bytes ${text}`);
const textPaths = ['index.html', 'a.txt', 'lib/b.txt'];
const assetPaths = ['a.png', 'b.png'];

/** Applies steps to the instance and to the model. */
export class Scenario {
  readonly instance: Instance;
  project: ProjectModel | undefined;
  readonly objects: ObjectModel;
  /** Slugs and ids of the projects that were deleted for good. */
  readonly deleted: { readonly id: string; readonly slug: string }[] = [];
  #devices = new Map<User, Device>();
  #tokenCount = 0;

  constructor(instance: Instance) {
    this.instance = instance;
    this.objects = new ObjectModel(instance.ids, () => this.project);
  }

  clientOf(reader: Reader): SupabaseClient {
    return reader === 'visitor' ? this.instance.visitor : this.instance.clients[reader];
  }

  /** Calls a database function. The code is undefined if it succeeds. */
  async call(reader: Reader, name: string, args: Record<string, unknown>) {
    const { data, error } = await this.clientOf(reader).rpc(name, args);
    const code = error?.code === '42501' ? 'permission denied' : error?.message;
    return { data, code };
  }

  async #expectCode(
    reader: Reader,
    name: string,
    args: Record<string, unknown>,
    expected: string | undefined,
  ) {
    const { data, code } = await this.call(reader, name, args);
    expect([name, reader, code]).toEqual([name, reader, expected]);
    return data;
  }

  async apply(step: Step): Promise<void> {
    const project = this.project ?? (await this.#create(0));
    if (step.type === 'collect') return this.#collect(step.isDue);
    if (step.type === 'purge') return this.#purge(project);
    const who =
      step.who === 'owner'
        ? project.owner
        : step.who === 'other'
          ? getOther(project.owner)
          : 'visitor';
    switch (step.type) {
      case 'type':
        return this.#type(project, who, step.pick, step.isStale);
      case 'create':
        return this.#edit(project, who, this.#planCreation(project, step.to));
      case 'rename':
        return this.#edit(project, who, planRename(project, step.pick, step.to));
      case 'delete':
        return this.#edit(project, who, planRemoval(project, step.pick));
      case 'asset':
        return this.#addAsset(project, who, step);
      case 'upload':
        return this.#upload(
          who,
          step.content,
          step.isOwn && who !== 'visitor' ? who : getOther(who === 1 ? 1 : 0),
        );
      case 'version':
        await this.#createVersion(project, who, step.reason, '');
        return undefined;
      case 'restoreVersion':
        return this.#restoreVersion(project, who, step.pick);
      case 'publish':
        return this.#publish(project, who, step.pick);
      case 'share':
        return this.#patch(project, who, { visibility: step.visibility });
      case 'retitle':
        return this.#patch(project, who, { title: `Title ${(this.#tokenCount += 1)}` });
      case 'trash':
        return this.#patch(project, who, { trashed_at: new Date().toISOString() });
      case 'untrash':
        return this.#patch(project, who, { trashed_at: null });
      case 'deleteForever':
        return this.#deleteForever(project, who);
      case 'fork':
        return this.#fork(project, who, step.pick);
      case 'dropFork':
        return this.#dropFork(who, step.pick);
      case 'invite':
        return this.#invite(project, who, step.kind, step.role);
      case 'offer':
        return this.#invite(project, who, 'user', 'owner');
      case 'accept':
      case 'decline':
      case 'revoke':
      case 'expire':
        return this.#answer(project, step.type, who, step.pick);
      case 'setRole':
        return this.#changeMember(project, who, step.role);
      case 'remove':
        return this.#changeMember(project, who, null);
      case 'leave':
        return this.#leave(project, who);
    }
  }

  async #create(user: User): Promise<ProjectModel> {
    const files = toTextFiles([['index.html', 'start']]);
    const { id, slug } = await this.#createProject(user, files, 'A project', {});
    this.#devices.clear();
    this.project = new ProjectModel(id, slug, user, files);
    return this.project;
  }

  async #createProject(
    user: User,
    files: ProjectFiles,
    title: string,
    more: Record<string, unknown>,
    expected?: string,
  ): Promise<{ id: string; slug: string }> {
    const state = Y.encodeStateAsUpdate(createDocumentFromFiles(files));
    const created = await this.#expectCode(
      user,
      'create_project',
      {
        id: randomUUID(),
        title,
        description: '',
        visibility: 'private',
        settings: {},
        files: [...files].map(([path, file]) => toRow(path, file)),
        state: Buffer.from(state).toString('base64'),
        state_sha256: createHash('sha256').update(state).digest('hex'),
        ...more,
      },
      expected,
    );
    // Else it would count for the hourly limit.
    await this.#sql`update public.projects set created_at = now() - interval '2 hours'
      where created_at > now() - interval '1 hour'`;
    return created;
  }

  get #sql() {
    return this.instance.test.database.sql;
  }

  // Files

  #planCreation(project: ProjectModel, at: number): Plan | undefined {
    const path = textPaths[at] ?? '';
    if (project.files.has(path)) return undefined;
    const text = this.#createToken();
    return {
      edit: (doc) => void createFile(doc, path, text),
      expected: new Map([...project.files, [path, { kind: 'text', text }]]),
    };
  }

  #createToken(): string {
    return `<${(this.#tokenCount += 1)}>\n`;
  }

  /** Edits after merging what others have saved. `plan` is undefined if there is nothing to do. */
  async #edit(
    project: ProjectModel,
    who: Reader,
    plan: Plan | undefined,
    missing?: string,
  ): Promise<void> {
    if (!plan) return;
    if (who === 'visitor') return this.#expectVisitorRefused(project);
    const device = await this.#openDevice(project, who);
    if (!device) return;
    const result = await device.save(plan.edit);
    const expected = project.findRefusal(who) ?? missing;
    expect(['edit', who, result.code]).toEqual(['edit', who, expected]);
    if (result.code !== undefined) return void this.#devices.delete(who);
    expect(describeFiles(result.files)).toEqual(describeFiles(plan.expected));
    await this.#accept(project, who, result);
  }

  async #expectVisitorRefused(project: ProjectModel): Promise<void> {
    const update = { client_seq: 1, update: 'AAA=', sha256: hashOf('\0\0') };
    await this.#expectCode(
      'visitor',
      'append_updates',
      {
        project: project.id,
        client: randomUUID(),
        base: project.seq,
        updates: [update],
        changed: [],
        removed: [],
        format: 2,
      },
      'permission denied',
    );
  }

  /** Opens the document, or merges what others have saved. Undefined if the user may not read it. */
  async #openDevice(project: ProjectModel, user: User): Promise<Device | undefined> {
    const device = this.#devices.get(user) ?? new Device(this.clientOf(user), project.id);
    const code = await device.load();
    const isAllowed = project.roleOf(user) !== null;
    expect(['load', user, code]).toEqual([
      'load',
      user,
      isAllowed ? undefined : 'not_found_or_private',
    ]);
    if (!isAllowed) {
      // The page still tries to save what it has.
      const result = this.#devices.has(user)
        ? await device.save(appendToken(this.#createToken()))
        : undefined;
      if (result) expect(result.code).toBe(project.findRefusal(user));
      this.#devices.delete(user);
      return undefined;
    }
    this.#devices.set(user, device);
    return device;
  }

  /** Updates the model after a save. */
  async #accept(
    project: ProjectModel,
    user: User,
    result: SaveResult & { code: undefined },
  ): Promise<void> {
    project.seq += result.checksums.length;
    expect(result.seq).toBe(project.seq);
    project.updates.push(...result.checksums);
    const saved = parseAssetRows(
      await this.#expectCode(user, 'list_assets', { project: project.id }, undefined),
    );
    const files = new Map<string, ProjectFile>();
    for (const [path, file] of result.files) {
      const asset = saved.get(path);
      files.set(path, asset ?? file);
      if (!asset) continue;
      if (!result.sent.has(path)) expect(asset).toEqual(project.files.get(path));
      else this.#expectUploader(user, asset);
    }
    project.setFiles(files);
  }

  /** Checks whose object an asset got that was just saved. */
  #expectUploader(user: User, { hash, uploader = '' }: AssetFile): void {
    expect(this.objects.listUploaders(user, hash)).toContain(uploader);
    this.objects.retain(getAssetObjectName(uploader, hash));
  }

  /** Adds a line to a text; with `isStale`, before the device has merged what others have saved. */
  async #type(project: ProjectModel, who: Reader, at: number, isStale: boolean): Promise<void> {
    const token = this.#createToken();
    if (isStale && who !== 'visitor') {
      const device = this.#devices.get(who);
      if (device) return this.#typeStale(project, who, device, at, token);
    }
    const path = pickFrom(
      [...project.files].flatMap(([key, file]) => (file.kind === 'text' ? key : [])),
      at,
    );
    const file = path === undefined ? undefined : project.files.get(path);
    if (path === undefined || file?.kind !== 'text') return;
    await this.#edit(project, who, {
      edit: (doc) => {
        const found = listTextFiles(doc).find((each) => each.path === path);
        found?.text.insert(found.text.length, token);
      },
      expected: new Map([...project.files, [path, { kind: 'text', text: file.text + token }]]),
    });
  }

  /** The edit is merged with those of others: no line is lost, and a removed file comes back with it. */
  async #typeStale(
    project: ProjectModel,
    user: User,
    device: Device,
    at: number,
    token: string,
  ): Promise<void> {
    const target = pickFrom(listTextFiles(device.doc), at);
    if (!target) return;
    const result = await device.save(() => target.text.insert(target.text.length, token));
    expect(['type', user, result.code]).toEqual(['type', user, project.findRefusal(user)]);
    if (result.code !== undefined) return void this.#devices.delete(user);
    const listContents = (files: ProjectFiles) =>
      [...files.values()].map((file) => (file.kind === 'text' ? file.text : file.hash));
    const merged = listContents(result.files);
    expect(merged.filter((text) => text.includes(token))).toHaveLength(1);
    const left = merged.map((text) => text.replace(token, ''));
    // Each of the model's files is there, and at most the edited one beside them.
    for (const text of listContents(project.files)) {
      const found = left.indexOf(text);
      expect(found, `${text} is missing`).toBeGreaterThanOrEqual(0);
      left.splice(found, 1);
    }
    expect(left.length).toBeLessThanOrEqual(1);
    await this.#accept(project, user, result);
  }

  // Assets

  async #upload(who: Reader, content: number, folder: User): Promise<void> {
    const bytes = assetBytes[content] ?? '';
    const name = `${this.instance.ids[folder]}/${hashOf(bytes)}`;
    const { error } = await this.clientOf(who)
      .storage.from('assets')
      .upload(name, bytes, { contentType: 'application/octet-stream' });
    const isDuplicate = who === folder && this.objects.stored.has(name);
    const expected = who !== folder ? '403' : isDuplicate ? '409' : undefined;
    const code = error && 'statusCode' in error ? error.statusCode : undefined;
    expect(['upload', who, folder, code]).toEqual(['upload', who, folder, expected]);
    if (!error) this.objects.add(name, bytes);
  }

  /** Adds a picture, or replaces one. */
  async #addAsset(
    project: ProjectModel,
    who: Reader,
    asset: { readonly path: number; readonly content: number; readonly isUploaded: boolean },
  ): Promise<void> {
    if (who === 'visitor') return this.#expectVisitorRefused(project);
    if (asset.isUploaded) await this.#upload(who, asset.content, who);
    const path = assetPaths[asset.path] ?? '';
    const bytes = assetBytes[asset.content] ?? '';
    const file: AssetFile = {
      kind: 'asset',
      hash: hashOf(bytes),
      size: bytes.length,
      mediaType: 'image/png',
    };
    if (isSameFile(project.files.get(path), file)) return;
    const isMissing = this.objects.listUploaders(who, file.hash).length === 0;
    await this.#edit(
      project,
      who,
      {
        edit: (doc) => replaceFile(doc, path, file),
        expected: new Map([...project.files, [path, file]]),
      },
      isMissing ? 'asset_missing' : undefined,
    );
  }

  /** Runs the hourly collection twice if `isDue`: a week ago, and now. */
  async #collect(isDue: boolean): Promise<void> {
    if (isDue)
      await this.#sql`update private.unreferenced_assets set since = since - interval '8 days'`;
    const { data, error } = await this.instance.service.rpc('collect_assets', {});
    if (error) throw error;
    const claimed: string[] = data;
    expect(claimed.toSorted()).toEqual(this.objects.collect(isDue).toSorted());
    if (claimed.length === 0) return;
    const removal = await this.instance.service.storage.from('assets').remove(claimed);
    expect(removal.data).toHaveLength(claimed.length);
  }

  // Versions

  /** Resolves to whether it was allowed. */
  async #createVersion(
    project: ProjectModel,
    who: Reader,
    reason: string,
    message: string,
  ): Promise<boolean> {
    const refusal = project.findRefusal(who);
    const args = { project: project.id, message, reason };
    const answer = await this.#expectCode(who, 'create_version', args, refusal);
    if (refusal !== undefined || who === 'visitor') return false;
    const created = project.addVersion(who, reason, message);
    expect(answer).toEqual({ number: project.versions.length, created });
    return true;
  }

  /** Restores a version as the page does. */
  async #restoreVersion(project: ProjectModel, who: Reader, pick: number): Promise<void> {
    const number = pickVersion(project, pick);
    const version = project.readVersion(who, number);
    const args = { slug: project.slug, number };
    const answer = await this.#expectCode(who, 'read_version', args, undefined);
    expect(answer !== null).toBe(version !== undefined);
    if (!version || who === 'visitor') return;
    const files = parseFiles(answer);
    if (!(await this.#createVersion(project, who, 'restore', ''))) return;
    await this.#edit(project, who, planReplacement(project.files, files));
    await this.#createVersion(project, who, 'named', `Restored version ${number}`);
    expect(describeFiles(project.files)).toEqual(describeFiles(version.files));
  }

  async #publish(project: ProjectModel, who: Reader, pick: number | null): Promise<void> {
    const number = pick === null ? null : pickVersion(project, pick);
    const version = number === null ? undefined : project.versions[number - 1];
    const missing = number !== null && !version ? 'not_found_or_private' : undefined;
    const refusal = project.findRefusal(who, true) ?? missing;
    await this.#expectCode(who, 'publish_version', { project: project.id, number }, refusal);
    if (refusal !== undefined) return;
    if (version) version.isPublished = true;
    project.publishedVersion = number;
  }

  // The project

  async #patch(
    project: ProjectModel,
    who: Reader,
    values: { visibility: string } | { title: string } | { trashed_at: string | null },
  ): Promise<void> {
    const { data, error } = await this.clientOf(who)
      .from('projects')
      .update(values)
      .eq('id', project.id)
      .select('id');
    const isAllowed = who === project.owner;
    expect([values, who, error?.code, data?.length ?? 0]).toEqual([
      values,
      who,
      who === 'visitor' ? '42501' : undefined,
      isAllowed ? 1 : 0,
    ]);
    if (!isAllowed) return;
    if ('trashed_at' in values) project.isInTrash = values.trashed_at !== null;
    else Object.assign(project, values);
  }

  async #deleteForever(project: ProjectModel, who: Reader): Promise<void> {
    const deleted = await this.#expectCode(
      who,
      'delete_trashed',
      { projects: [project.id] },
      who === 'visitor' ? 'permission denied' : undefined,
    );
    const isAllowed = who === project.owner && project.isInTrash;
    expect(deleted ?? 0).toBe(isAllowed ? 1 : 0);
    if (isAllowed) this.#forget(project);
  }

  /** Deletes what has been in the trash for 30 days. */
  async #purge(project: ProjectModel): Promise<void> {
    // The trigger keeps the first time.
    await this.#sql`alter table public.projects disable trigger guard_project`;
    await this.#sql`update public.projects set trashed_at = now() - interval '30 days'
      where trashed_at is not null`;
    await this.#sql`alter table public.projects enable trigger guard_project`;
    const { data, error } = await this.instance.service.rpc('purge_trash', {});
    if (error) throw error;
    expect(data).toBe(project.isInTrash ? 1 : 0);
    if (project.isInTrash) this.#forget(project);
  }

  #forget({ id, slug }: ProjectModel): void {
    this.deleted.push({ id, slug });
    this.project = undefined;
    this.#devices.clear();
  }

  // Forks

  /** Forks what the user sees, or with `pick`, one of the versions. */
  async #fork(project: ProjectModel, who: Reader, pick: number | null): Promise<void> {
    const number = pick === null ? null : pickVersion(project, pick);
    const files =
      number === null ? project.readFiles(who) : project.readVersion(who, number)?.files;
    const more = {
      forked_from: project.id,
      ...(number !== null && { forked_from_version: number }),
    };
    if (who === 'visitor') {
      const args = {
        id: randomUUID(),
        title: 'A fork',
        description: '',
        visibility: 'private',
        settings: {},
        files: [],
        state: 'AAA=',
        state_sha256: '',
        ...more,
      };
      await this.#expectCode(who, 'create_project', args, 'permission denied');
      return;
    }
    if (!project.isVisible(who)) {
      await this.#createProject(who, new Map(), 'A fork', more, 'not_found_or_private');
      return;
    }
    if (!files) return;
    const { id, slug } = await this.#createProject(who, files, 'A fork', more);
    project.forkCount += 1;
    const read = parseFiles(await this.#expectCode(who, 'read_project', { slug }, undefined));
    expect(describeFiles(read)).toEqual(describeFiles(files));
    for (const file of read.values()) if (file.kind === 'asset') this.#expectUploader(who, file);
    this.objects.forks.push({ id, slug, original: project.id, owner: who, files: read });
  }

  /** Deletes a fork for good, if it is the user's. */
  async #dropFork(who: Reader, pick: number): Promise<void> {
    const fork = pickFrom(this.objects.forks, pick);
    if (!fork) return;
    const client = this.clientOf(who);
    await client
      .from('projects')
      .update({ trashed_at: new Date().toISOString() })
      .eq('id', fork.id);
    const { data } = await this.call(who, 'delete_trashed', { projects: [fork.id] });
    expect(data ?? 0).toBe(fork.owner === who ? 1 : 0);
    if (fork.owner !== who) return;
    this.objects.forks.splice(this.objects.forks.indexOf(fork), 1);
    if (this.project && fork.original === this.project.id) this.project.forkCount -= 1;
  }

  // People

  async #invite(
    project: ProjectModel,
    who: Reader,
    kind: InvitationKind,
    role: Role,
  ): Promise<void> {
    const target = who === 'visitor' ? 0 : getOther(who);
    const refusal =
      project.findRefusal(who, true) ??
      (project.mayInvite(kind, target, role) ? undefined : 'already_member');
    const created = await this.#expectCode(
      who,
      'invite_to_project',
      {
        project: project.id,
        role,
        username: kind === 'user' ? names[target] : null,
        email: kind === 'email' ? getEmail(target) : null,
      },
      refusal,
    );
    if (refusal !== undefined || who === 'visitor') return;
    const { id, token } = created;
    project.addInvitation({
      id,
      address: token ?? id,
      kind,
      role,
      createdBy: who,
      target: kind === 'link' ? undefined : target,
    });
  }

  async #answer(
    project: ProjectModel,
    type: 'accept' | 'decline' | 'revoke' | 'expire',
    who: Reader,
    pick: number,
  ): Promise<void> {
    const invitation = pickFrom(project.invitations, pick);
    if (!invitation) return;
    if (type === 'expire') {
      await this.#sql`update public.invitations set expires_at = now() where id = ${invitation.id}`;
      invitation.isPending = false;
      return;
    }
    const name = `${type}_invitation`;
    const argument = type === 'revoke' ? invitation.id : invitation.address;
    const { code } = await this.call(who, name, { invitation: argument });
    if (who === 'visitor') return expect([name, code]).toEqual([name, 'permission denied']);
    if (type === 'accept') {
      const isAllowed = project.accept(who, invitation);
      expect([name, who, code === undefined, code]).toEqual([name, who, isAllowed, code]);
    } else if (type === 'revoke') {
      const isAllowed = who === project.owner && invitation.createdBy === who;
      expect([name, who, code === undefined, code]).toEqual([name, who, isAllowed, code]);
      if (isAllowed) invitation.isPending = false;
    } else if (invitation.kind !== 'link' && project.isOffered(who, invitation)) {
      invitation.isPending = false;
    }
  }

  /** Gives the other user another role, or none. */
  async #changeMember(project: ProjectModel, who: Reader, role: Role | null): Promise<void> {
    const member = who === 'visitor' ? 0 : getOther(who);
    const args = { project: project.id, member: this.instance.ids[member] };
    const refusal = project.findRefusal(who, true);
    if (role === null) {
      await this.#expectCode(who, 'remove_member', args, refusal);
      if (refusal === undefined) project.removeMember(member);
      return;
    }
    const missing = project.members.has(member) ? undefined : 'member_not_found';
    await this.#expectCode(who, 'set_member_role', { ...args, role }, refusal ?? missing);
    if (refusal === undefined && missing === undefined) project.setRole(member, role);
  }

  async #leave(project: ProjectModel, who: Reader): Promise<void> {
    const role = project.roleOf(who);
    const isMember = role === 'viewer' || role === 'editor';
    const ownersRefusal = role === 'owner' ? 'not_allowed' : project.findRefusal(who, true);
    const refusal = isMember ? undefined : ownersRefusal;
    await this.#expectCode(who, 'leave_project', { project: project.id }, refusal);
    if (isMember && who !== 'visitor') project.members.delete(who);
  }
}

/** An edit, and the files that it must lead to. */
interface Plan {
  readonly edit: (doc: Y.Doc) => void;
  readonly expected: ProjectFiles;
}

function planRename(project: ProjectModel, pick: number, to: number): Plan | undefined {
  const path = pickFrom([...project.files.keys()], pick);
  const file = path === undefined ? undefined : project.files.get(path);
  if (path === undefined || !file) return undefined;
  const paths = file.kind === 'text' ? textPaths : assetPaths;
  const next = paths[to % paths.length] ?? '';
  if (project.files.has(next)) return undefined;
  return {
    edit: (doc) => renameFile(doc, findId(doc, path), next),
    expected: new Map([...withoutPath(project.files, path), [next, file]]),
  };
}

function planRemoval(project: ProjectModel, pick: number): Plan | undefined {
  const path = pickFrom([...project.files.keys()], pick);
  if (path === undefined) return undefined;
  return {
    edit: (doc) => removeFile(doc, findId(doc, path)),
    expected: withoutPath(project.files, path),
  };
}

function planReplacement(before: ProjectFiles, files: ProjectFiles): Plan | undefined {
  const isSame =
    before.size === files.size &&
    [...files].every(([path, file]) => isSameFile(before.get(path), file));
  if (isSame) return undefined;
  return { edit: (doc) => replaceAll(doc, files), expected: files };
}

function appendToken(token: string): (doc: Y.Doc) => void {
  return (doc) => createFile(doc, `${token.trim().slice(1, -1)}.txt`, token);
}

function findId(doc: Y.Doc, path: string): string {
  const found = listFiles(doc).find((file) => file.path === path);
  if (!found) throw new Error(`the document has no ${path}`);
  return found.id;
}

function withoutPath(files: ProjectFiles, path: string): ProjectFiles {
  return new Map([...files].filter(([each]) => each !== path));
}

function pickFrom<T>(list: readonly T[], pick: number): T | undefined {
  return list[list.length - 1 - (pick % (list.length || 1))];
}

/** Number of a version, the newest for 0, rarely one that isn't there. */
function pickVersion({ versions }: ProjectModel, pick: number): number {
  return pick === 30 ? versions.length + 1 : versions.length - (pick % (versions.length || 1));
}

export function hashOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Files of a response of `read_project` or `read_version`. */
export function parseFiles(answer: {
  files: { path: string; content: string }[];
  assets: unknown;
}): Map<string, ProjectFile> {
  const texts = answer.files.map(({ path, content }) => [path, content] as const);
  return new Map<string, ProjectFile>([...toTextFiles(texts), ...parseAssetRows(answer.assets)]);
}

/** Files to compare, without the uploaders of assets. */
function describeFiles(files: ProjectFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, file]) => [path, file.kind === 'text' ? file.text : file.hash]),
  );
}
