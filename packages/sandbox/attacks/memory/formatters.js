/**
 * Has the library make a formatter of dates for each time zone, which no heap counts.
 *
 * Holds: the library's stand-in for `Intl` keeps few of them, and hands none out.
 *
 * @ends completed | failed RangeError | failed TypeError | violation execution_time | violation memory
 * @kills
 */
for (let index = 0; index < 20_000; index += 1) {
  new Date(index).toLocaleDateString('en', { timeZone: `Etc/GMT${index % 24 < 12 ? '+' : '-'}${index % 12}` })
}
