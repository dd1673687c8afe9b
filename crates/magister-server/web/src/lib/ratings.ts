// Ratings as the server sends them.

export interface Rating {
  player: string;
  rating: number;
  /** Half the width of the interval, or both ends. */
  interval: number | [number, number] | null;
  matches?: number;
  mean_reward?: number | null;
}

export function chartRows(ratings: Rating[]): { player: string; rating: number; low: number; high: number }[] {
  return ratings.filter((one) => Number.isFinite(one.rating)).map((one) => {
    const [low, high] = Array.isArray(one.interval) ? one.interval : [one.rating - (one.interval ?? 0), one.rating + (one.interval ?? 0)];
    return { player: one.player, rating: one.rating, low: Number.isFinite(low) ? low : one.rating, high: Number.isFinite(high) ? high : one.rating };
  });
}

export function interval(one: Rating): string {
  if (one.interval === null || one.interval === undefined) return "";
  return Array.isArray(one.interval) ? `${Math.round(one.interval[0])} to ${Math.round(one.interval[1])}` : `± ${Math.round(one.interval)}`;
}
