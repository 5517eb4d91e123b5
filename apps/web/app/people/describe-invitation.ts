import { getPersonName, type PeopleRole, type ReceivedInvitation } from './people.ts';

/** "Ada invited you to edit “Boids”" */
export function describeInvitation({ inviter, role, title }: ReceivedInvitation): string {
  const name = getPersonName(inviter);
  if (role === 'owner') return `${name} wants to transfer “${title}” to you`;
  return `${name} invited you to ${role === 'editor' ? 'edit' : 'view'} “${title}”`;
}

/** What a role allows, as a sentence. */
export function describeRole(role: PeopleRole): string {
  switch (role) {
    case 'viewer':
      return 'As a viewer, you can open the project and follow changes.';
    case 'editor':
      return 'As an editor, you can change the project together with others.';
    case 'owner':
      return 'As its owner, you decide who has access. The current owner stays as an editor.';
  }
}
