/** How the appliance names itself when its own client asks; the browser keeps the name of a browser. */
export const ownUserAgent = "assay (security scanner of a web page, asked for by its user)";
