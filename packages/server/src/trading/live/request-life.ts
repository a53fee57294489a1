/** How old a request may be when it arrives, in milliseconds. The exchanges that support such a limit refuse older ones. */
export const requestLifeMs = 5_000
