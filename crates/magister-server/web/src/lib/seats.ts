// The secret tokens of the seats that were created on this device.

const key = (id: string) => `magister.seat.${id}`;

export type Tokens = Record<number, string>;

/** The key of the owner's token, which may pause and abort a match without people. */
export const OWNER = -1;

export function keepTokens(id: string, seats: { role: number; token: string | null }[], owner?: string | null): void {
  const tokens: Tokens = {};
  for (const seat of seats) if (seat.token) tokens[seat.role] = seat.token;
  if (owner) tokens[OWNER] = owner;
  try {
    localStorage.setItem(key(id), JSON.stringify(tokens));
  } catch {
    sessionTokens.set(id, tokens);
  }
}

const sessionTokens = new Map<string, Tokens>();

export function tokensOf(id: string): Tokens {
  try {
    return sessionTokens.get(id) ?? (JSON.parse(localStorage.getItem(key(id)) ?? "{}") as Tokens);
  } catch {
    return {};
  }
}
