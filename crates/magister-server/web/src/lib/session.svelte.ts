// Who is signed in. Sites without accounts let everyone do everything.

import { request, setCsrf } from "./api";

export interface Account {
  id: string;
  name: string;
  role: "admin" | "user";
  disabled: boolean;
  created: number;
}

export interface Visitor {
  accounts: boolean;
  account: Account | null;
  csrf: string | null;
  admin: boolean;
}

class SessionState {
  accounts = $state(false);
  account = $state.raw<Account | null>(null);
  admin = $state(false);
  known = $state(false);

  /** Takes over what the server says about this visitor. */
  take(visitor: Visitor): void {
    setCsrf(visitor.csrf);
    this.accounts = visitor.accounts;
    this.account = visitor.account;
    this.admin = visitor.admin;
    this.known = true;
  }

  async load(): Promise<void> {
    try {
      this.take(await request<Visitor>("GET", "/api/session"));
    } catch {
      // The page itself says that the server cannot be reached.
      this.known = true;
    }
  }

  async signIn(name: string, password: string): Promise<void> {
    this.take(await request<Visitor>("POST", "/api/session", { name, password }));
  }

  async signOut(): Promise<void> {
    this.take(await request<Visitor>("DELETE", "/api/session"));
  }

  /** Whether this visitor has to sign in before anything can be created. */
  get isGuest(): boolean {
    return this.accounts && this.account === null;
  }
}

export const session = new SessionState();
