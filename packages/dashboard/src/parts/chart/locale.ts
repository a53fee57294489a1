/** The language of the browser, if `Intl` takes it: some systems name one that makes the chart library fail. */
export function checkedLocale(language: string | undefined): string {
  try {
    const [locale] = Intl.DateTimeFormat.supportedLocalesOf(language ?? [])
    return locale ?? 'en'
  } catch {
    return 'en'
  }
}
