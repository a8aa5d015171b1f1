/** The version of Roost that this process runs; the workspace check holds it equal to every manifest's. */
export const ROOST_VERSION = '0.1.0';
