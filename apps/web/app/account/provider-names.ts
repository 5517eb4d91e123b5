import type { Provider } from '@supabase/supabase-js';

/** Display names that can't be derived from the provider's id. */
const displayNames: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
};

/** 'github' → 'GitHub', 'custom:our-school' → 'Our school'. */
export function getProviderName(provider: string): string {
  const words = provider.replace(/^custom:/, '').replaceAll(/[-_]/g, ' ');
  return displayNames[provider] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Narrows the id of any sign-in method but email to the auth client's type, which lists only the
 * providers of hosted Supabase; the backend's own settings decide which ones exist.
 */
export function isOAuthProvider(id: string): id is Provider {
  return id !== 'email' && id !== '';
}
