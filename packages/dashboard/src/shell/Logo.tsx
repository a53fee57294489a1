/** The product's logo, as in the icon of the page. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#3d5afe" />
      <path d="M7 10h18M16 10v14" stroke="#fff" strokeWidth="3.2" strokeLinecap="round" fill="none" />
      <path
        d="M9.5 17v6M9.5 15v-1.5M22.5 19.5v3.5M22.5 17v-2.5"
        stroke="#b9c4ff"
        strokeWidth="2.2"
        strokeLinecap="round"
        fill="none"
      />
    </svg>
  )
}
